import { z } from 'zod';
import { type Operation, operations } from './operations.ts';

/** The list operations of the API. */
export const lists = operations.filter(({ shape }) => 'page' in shape && 'limit' in shape);

/** Lists within content and sites, which are paginated in memory rather than by a statement. */
const IN_MEMORY = /\/(links|backlinks|files|conflicts|sections|section-groups|site-spaces)$/;
export const inMemory = lists.filter(({ path }) => IN_MEMORY.test(path));

/** Ranked search results. */
export const ranked = lists.filter(({ path }) => path.endsWith('/search'));

interface Choice {
  type?: string;
  enum?: unknown[];
  anyOf?: Choice[];
  items?: Choice;
  const?: unknown;
  format?: string;
}

/** Valid values of a filter. */
function valuesOf({ type, enum: values, anyOf, items, const: only, format }: Choice): unknown[] {
  // A single value is a list of one.
  if (items) return valuesOf(items);
  if (only !== undefined) return [only];
  if (format === 'date-time') return ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
  if (anyOf) return anyOf.flatMap(valuesOf);
  return values ?? (type === 'boolean' ? [true, false] : ['some', 'other']);
}

/** The filters of a list, each with valid values. */
export const filtersOf = ({
  method,
  shape,
  pathParameters,
}: Operation): [name: string, values: unknown[]][] =>
  Object.entries(shape)
    // With an invalid key of a share link, an unknown revision or an unknown event, there is no list.
    .filter(
      ([name]) => !['page', 'limit', 'shareKey', 'revision', 'lastEventId', ...pathParameters].includes(name),
    )
    .map(([name, schema]) => [name, z.toJSONSchema(schema, { io: 'input' }) as Choice] as const)
    .filter(([, choice]) => choice.type !== 'object')
    .map(([name, choice]) => [
      name,
      // In a body, unlike in a query, a list of one must be an array.
      valuesOf(choice).map((value) => (choice.items && method === 'POST' ? [value] : value)),
    ]);
