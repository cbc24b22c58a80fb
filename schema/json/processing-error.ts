/** Something wrong with an OpenAPI document, as it is stored and answered. */
export interface ProcessingError {
  message: string;
  code: string;
  /** A JSON pointer to the place in the document. */
  path?: string;
  /** Counted from 1. */
  line?: number;
  column?: number;
  /** The URL of the document, unless it is the first one. */
  file?: string;
}
