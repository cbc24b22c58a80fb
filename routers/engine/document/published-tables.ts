import { isRecord } from '../values.ts';
import type { Data } from './document.ts';
import { asRef } from './refs.ts';

const COLUMN = ['id', 'title', 'type'];
/** The fields of a column by its type. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  text: [...COLUMN, 'textAlignment', 'verticalAlignment'],
  number: COLUMN,
  checkbox: COLUMN,
  files: COLUMN,
  users: [...COLUMN, 'multiple'],
  rating: [...COLUMN, 'max'],
  select: [...COLUMN, 'multiple', 'options'],
  'content-ref': COLUMN,
  image: COLUMN,
};
/** The fields of a view by its type. */
const VIEWS: Readonly<Record<string, readonly string[]>> = {
  grid: ['type', 'columns', 'columnWidths', 'hideHeader', 'useNewSizing'],
  cards: [
    'type',
    'cardSize',
    'columns',
    'targetDefinition',
    'coverDefinition',
    'coverDefinitionDark',
    'hideColumnTitle',
  ],
};
const RECORD = ['orderIndex', 'values'];

/** Reduces the data of a table to its published fields. */
export function publishedTable({ view, records, definition, fullWidth }: Data): Data {
  return {
    view: pick(view, VIEWS),
    records: mapValues(records, (record) => publishedRecord(record, definition)),
    definition: mapValues(definition, (column) => pick(column, COLUMNS)),
    ...(fullWidth !== undefined && { fullWidth }),
  };
}

function publishedRecord(record: unknown, definition: unknown): unknown {
  if (!isRecord(record) || !isRecord(definition)) return record;
  const values = mapValues(record.values, (value, column) => {
    const known = Object.hasOwn(definition, column) ? definition[column] : undefined;
    const type = isRecord(known) ? known.type : undefined;
    if (type === 'files') return fileIds(value);
    // The schemas distinguish an image from a link by its wrapper.
    return type === 'image' && asRef(value) ? { ref: value } : value;
  });
  return { ...fields(record, RECORD), values };
}

/** Converts the files of a cell to ids; a reference to anything else is left as it is. */
function fileIds(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  const refs = [value].flat();
  const ids = refs.flatMap((file) => {
    const ref = asRef(file);
    return typeof file === 'string' ? file : ref?.kind === 'file' ? ref.file : [];
  });
  return ids.length > 0 || refs.length !== 1 ? ids : refs[0];
}

/** Converts the files in the cells of a table to references, as they are stored. */
export function withFileRefs(data: Data): Data {
  const { definition, records } = data;
  if (!isRecord(definition) || !Object.values(definition).some(isFilesColumn)) return data;
  return {
    ...data,
    records: mapValues(records, (record) => {
      if (!isRecord(record)) return record;
      const values = mapValues(record.values, (value, column) =>
        Object.hasOwn(definition, column) && isFilesColumn(definition[column]) ? fileRefs(value) : value,
      );
      return values === undefined ? record : { ...record, values };
    }),
  };
}

const isFilesColumn = (column: unknown): boolean => isRecord(column) && column.type === 'files';

/** Converts the files of a cell to references: a single one, or a list. */
export function fileRefs(value: unknown): unknown {
  const refs = [value].flat().map((file) => (typeof file === 'string' ? { kind: 'file', file } : file));
  return refs.length === 1 ? refs[0] : refs;
}

function pick(value: unknown, byType: Readonly<Record<string, readonly string[]>>): unknown {
  if (!isRecord(value) || typeof value.type !== 'string' || !Object.hasOwn(byType, value.type)) return value;
  return fields(value, byType[value.type] ?? []);
}

function fields(value: Data, names: readonly string[]): Data {
  const result: Data = {};
  for (const name of names) if (value[name] !== undefined) result[name] = value[name];
  return result;
}

function mapValues(value: unknown, map: (entry: unknown, name: string) => unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, map(entry, name)]));
}
