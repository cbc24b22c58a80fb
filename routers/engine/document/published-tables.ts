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

/** The data of a table with the published fields only. */
export function publishedTable({ view, records, definition, fullWidth }: Data): Data {
  return {
    view: pick(view, VIEWS),
    records: mapValues(records, (record) => publishedRecord(record, definition)),
    definition: mapValues(definition, (column) => pick(column, COLUMNS)),
    ...(fullWidth !== undefined && { fullWidth }),
  };
}

function publishedRecord(record: unknown, definition: unknown): unknown {
  if (!isData(record) || !isData(definition)) return record;
  const values = mapValues(record.values, (value, column) => {
    const type = isData(definition[column]) ? definition[column].type : undefined;
    // A bare reference could be a link as well; the schemas tell an image by its wrapping.
    return type === 'image' && asRef(value) ? { ref: value } : value;
  });
  return { ...fields(record, RECORD), values };
}

const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const pick = (value: unknown, byType: Readonly<Record<string, readonly string[]>>): unknown => {
  const type = isData(value) && typeof value.type === 'string' ? value.type : '';
  const names = Object.hasOwn(byType, type) ? byType[type] : undefined;
  return names && isData(value) ? fields(value, names) : value;
};

function fields(value: Data, names: readonly string[]): Data {
  const result: Data = {};
  for (const name of names) if (value[name] !== undefined) result[name] = value[name];
  return result;
}

function mapValues(value: unknown, map: (entry: unknown, name: string) => unknown): unknown {
  if (!isData(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, map(entry, name)]));
}
