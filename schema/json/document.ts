/** A document as it lies in a JSON column; the content chapter owns its full shape. */
export interface Document {
  object: 'document';
  data: { schemaVersion: number; [key: string]: unknown };
  nodes: unknown[];
}
