/** An export of JSON lines, as tRPC clients get it. */
export interface JsonLinesObject {
  readonly object: 'export';
  /** The name of the file. */
  readonly name: string;
  /** Address of the file; it takes the same access token. */
  readonly downloadURL: string;
}
