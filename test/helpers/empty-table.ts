import type { Document } from '../../routers/engine/document/document.ts';

/** A table without any values, whose aligned cells Markdown can only write as HTML. */
export const emptyTable = (columns: number, rows: number): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes: [
    {
      object: 'block',
      type: 'table',
      isVoid: true,
      data: {
        view: { type: 'grid' },
        definition: byId(columns, (id) => ({ id, type: 'text', verticalAlignment: 'middle' })),
        records: byId(rows, (id) => ({ orderIndex: id, values: {} })),
      },
      fragments: [],
    },
  ],
});

const byId = <Value>(count: number, valueFor: (id: string) => Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${1000 + at}`, valueFor(`${1000 + at}`)]));
