/** An export as JSON lines, as tRPC clients receive it. */
export interface JsonLinesObject {
  readonly object: 'export';
  /** The name of the file. */
  readonly name: string;
  /** The URL of the file, which requires the same token. */
  readonly downloadURL: string;
}
