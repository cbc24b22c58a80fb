/** A document in a JSON column; the engine defines its full shape. */
export interface Document {
  object: 'document';
  data: { schemaVersion: number; [key: string]: unknown };
  nodes: unknown[];
}
