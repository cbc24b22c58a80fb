import type { Data, Document } from '../../routers/engine/document/document.ts';

/** A document that consists of one table. */
export const tableDocument = (data: Data): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes: [{ object: 'block', type: 'table', isVoid: true, data, fragments: [] }],
});

/** A table without any values, whose aligned cells Markdown can only write as HTML. */
export const emptyTable = (columns: number, rows: number): Document =>
  tableDocument({
    view: { type: 'grid' },
    definition: byId(columns, (id) => ({ id, type: 'text', verticalAlignment: 'middle' })),
    records: byId(rows, (id) => ({ orderIndex: id, values: {} })),
  });

const byId = <Value>(count: number, valueFor: (id: string) => Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${1000 + at}`, valueFor(`${1000 + at}`)]));
