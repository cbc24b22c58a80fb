/** The export of some content, as tRPC clients get it. */
export interface ExportObject {
  readonly object: 'export';
  /** The name of the archive. */
  readonly name: string;
  /** Number of files. */
  readonly total: number;
  /** Address of the zip archive; it takes the same access token. */
  readonly downloadURL: string;
}
