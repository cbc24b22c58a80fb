/** An error in an OpenAPI document, as it is stored and returned. */
export interface ProcessingError {
  message: string;
  code: string;
  /** A JSON pointer to the place in the document. */
  path?: string;
  /** Counted from 1. */
  line?: number;
  column?: number;
  /** The URL of the document that has the error, unless it is the main one. */
  file?: string;
}
