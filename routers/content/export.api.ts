/** An export of content, as tRPC clients receive it. */
export interface ExportObject {
  readonly object: 'export';
  /** The name of the archive. */
  readonly name: string;
  /** Number of files. */
  readonly total: number;
  /** The URL of the zip archive, which requires the same token. */
  readonly downloadURL: string;
}
