import { hash } from 'node:crypto';
import { type ExpressionWrapper, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Signer } from '../base/ports.ts';
import type { Actor, Visitor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import { canonicalJson, type Json } from '../engine/store/canonical.ts';
import { PREPARE } from './statement.ts';

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

/** Marks inputs for tRPC clients only: the HTTP API neither accepts nor documents them. */
const TRPC_ONLY = { trpcOnly: true };

/** Whether the HTTP API accepts an input. */
export const isHttpInput = (schema: z.ZodType): boolean => schema.meta()?.trpcOnly !== true;

/** The parameters of every list. */
export const paging = {
  page: z
    .string()
    .max(2048)
    .optional()
    .describe('The opaque id of the page to fetch, from `next.page` of the previous one.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe('The number of items per page; 50 by default.'),
  // Under this name, infinite queries of TanStack Query send what `getNextPageParam` returned.
  cursor: z
    .string()
    .max(2048)
    .nullish()
    .describe('The same as `page`, for infinite queries; `page` wins if both are given.')
    .meta(TRPC_ONLY),
};

export interface PageInput {
  page?: string | undefined;
  limit?: number | undefined;
  cursor?: string | null | undefined;
}

/** The list envelope: `next` is absent on the last page, `count` is the total of the filtered list. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    next: z
      .object({ page: z.string().describe('The value of `page` to request the next page with.') })
      .optional()
      .describe('The next page; absent on the last page.'),
    count: z.number().int().describe('The number of items in the whole list.'),
    items: z.array(item).describe('The items of this page.'),
  });

export interface List<Item> {
  next?: { page: string };
  count: number;
  items: Item[];
}

type KeyValue = string | number | null;

/** One part of the order of a list. The last part must be unique, so that the order is total. */
interface KeyPart<Row> {
  /** The column in SQL, or an expression that an index has. */
  column: string | RawBuilder<unknown>;
  direction: 'asc' | 'desc';
  /** The column's value in a row, exactly as the database returned it. */
  of: (row: Row) => KeyValue;
}

const columnOf = ({ column }: Pick<KeyPart<never>, 'column'>) =>
  typeof column === 'string' ? sql.ref(column) : column;

const prepare = sql.raw(PREPARE);

/** The part of a procedure's context that identifies its list. */
export interface ListContext {
  /** The procedure's name. */
  path: string;
  services: { signer: Signer };
  /** The caller, on whom the items of a list may depend. */
  actor?: { user: { id: string } };
  /** The caller, where visitors are admitted. */
  reader?: Actor | Visitor;
}

/** Maximum size of what is loaded or repeated for the items of one page, in characters. */
const MAX_SIZE = 4_000_000;

interface ListQuery<DB, Table extends keyof DB, Row, Item, Presented> {
  rows: SelectQueryBuilder<DB, Table, Row>;
  /** The query to count, if `rows` joins tables that the total does not depend on. */
  count?: SelectQueryBuilder<DB, Table, unknown>;
  order: readonly KeyPart<Row>[];
  /** The size of what `complete` loads for a row, in characters; a page ends early rather than exceed {@link MAX_SIZE}. */
  sizeOf?: (row: Row) => number;
  /** Loads what the rows of one page refer to, in parallel to the count. */
  complete?: (rows: Row[]) => Promise<Item[]>;
  /** Presents an item; by default, it is returned as it was read. */
  present?: (item: Item) => Presented;
}

/**
 * Reads one page by keyset pagination: in one statement if it is the whole list, otherwise in two.
 * @throws DomainError `invalid` for a cursor of another list.
 */
export function readPage<DB, Table extends keyof DB, Row, Item = Row, Presented = Item>(
  ctx: ListContext,
  input: PageInput,
  { rows, count, order, sizeOf, complete, present }: ListQuery<DB, Table, Row, Item, Presented>,
): Promise<List<Presented>> {
  const countQuery = count ?? rows.clearSelect();
  const read = (key: KeyValue[] | undefined, limit: number) => {
    let page = key ? rows.where(after(order, key)) : rows;
    for (const part of order) page = page.orderBy(columnOf(part), part.direction);
    return page.limit(limit).modifyEnd(prepare).execute();
  };
  return readKeyset(ctx, input, {
    read,
    count: async () => {
      const total = countQuery
        .select(sql`count(*)`.as('count'))
        .$castTo<{ count: string }>()
        .modifyEnd(prepare);
      return Number((await total.executeTakeFirstOrThrow()).count);
    },
    keyOf: (row) => order.map((part) => part.of(row)),
    parts: order.length,
    ...(sizeOf && { sizeOf }),
    ...(complete && { complete }),
    ...(present && { present }),
  });
}

interface KeyedList<Item> {
  /** Reads at most `limit` items after the one with this key, or from the first. */
  read: (after: string | undefined, limit: number) => Promise<Item[]>;
  count: () => Promise<number>;
  keyOf: (item: Item) => string;
}

/** Reads one page, like {@link readPage}, of a list that is not one query, by the keys of its items. */
export const readKeyedPage = <Item>(
  ctx: ListContext,
  input: PageInput,
  { read, count, keyOf }: KeyedList<Item>,
): Promise<List<Item>> =>
  readKeyset(ctx, input, {
    read: (key, limit) => read(key && String(key[0]), limit),
    count,
    keyOf: (item) => [keyOf(item)],
    parts: 1,
  });

/** The longest key that is put into a cursor: a cursor must fit into `paging.page`, however it is encoded. */
const MAX_KEY = 600;

/**
 * Reads one page, like {@link readPage}, of a list that is in memory, sorted by the keys of its items. Keys consist of ids,
 * positions or hashes. A page starts after the key of the previous item, so that edits between two pages do no harm; if that
 * key is too long for a cursor, after the item itself.
 * @param sizeOf the size of an item as it is presented, in characters; a page ends early rather than exceed {@link MAX_SIZE}
 * @throws DomainError `invalid` for a cursor with such a long key whose item is gone.
 */
export function readSortedPage<Item>(
  ctx: ListContext,
  input: PageInput,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  sizeOf?: (item: Item) => number,
): Promise<List<Item>> {
  const indexAfter = ([start, digest]: KeyValue[]): number => {
    if (digest === null) return items.findIndex((item) => keyOf(item) > String(start));
    const last = items.findIndex((item) => digestOf(keyOf(item)) === digest);
    if (last < 0) throw invalidCursor();
    return last + 1;
  };
  return readKeyset(ctx, input, {
    read: async (after, limit) => {
      const start = after ? indexAfter(after) : 0;
      return start < 0 ? [] : items.slice(start, start + limit);
    },
    count: async () => items.length,
    keyOf: (item) => {
      const key = keyOf(item);
      // guard: cursor-key-length
      return key.length <= MAX_KEY ? [key, null] : [null, digestOf(key)];
    },
    parts: 2,
    // guard: sorted-page-size
    ...(sizeOf && { sizeOf }),
  });
}

const digestOf = (key: string): string => hash('sha256', key, 'base64url');

interface Keyset<Row, Item, Presented> {
  read: (after: KeyValue[] | undefined, limit: number) => Promise<Row[]>;
  count: () => Promise<number>;
  keyOf: (row: Row) => KeyValue[];
  /** The number of values in a key. */
  parts: number;
  sizeOf?: (row: Row) => number;
  /** Without it, the rows are the items. */
  complete?: (rows: Row[]) => Promise<Item[]>;
  /** Without it, the items are returned as they are. */
  present?: (item: Item) => Presented;
}

async function readKeyset<Row, Item = Row, Presented = Item>(
  ctx: ListContext,
  input: PageInput,
  { read, count, keyOf, parts, sizeOf, complete, present }: Keyset<Row, Item, Presented>,
): Promise<List<Presented>> {
  const { signer } = ctx.services;
  const { limit = DEFAULT_LIMIT } = input;
  const cursor = input.page ?? input.cursor ?? undefined;
  const after =
    cursor === undefined ? undefined : verifyCursor(signer, cursorPurpose(ctx, input), cursor, parts);
  // One more than fits on the page, to see whether there is a next page.
  const reading = read(after, limit + 1);
  let counting = after && count();
  const [rows] = await Promise.all([reading, counting]);
  const page = rows.slice(0, sizeOf ? fittingCount(rows, limit, sizeOf) : limit);
  // A first page that is the whole list need not be counted.
  if (rows.length > page.length) counting ??= count();
  const [items, total = rows.length] = await Promise.all([
    complete ? complete(page) : (page as unknown[] as Item[]),
    counting,
  ]);
  const presented = present ? items.map((item) => present(item)) : (items as unknown[] as Presented[]);
  const result: List<Presented> = { count: total, items: presented };
  if (rows.length > page.length) {
    const last = page[page.length - 1] as Row;
    result.next = { page: signCursor(signer, cursorPurpose(ctx, input), keyOf(last)) };
  }
  return result;
}

/** How many of the rows fit on a page: at least one. */
function fittingCount<Row>(rows: readonly Row[], limit: number, sizeOf: (row: Row) => number): number {
  let size = 0;
  for (const [index, row] of rows.slice(0, limit).entries()) {
    size += sizeOf(row);
    if (size > MAX_SIZE && index > 0) return index;
  }
  return limit;
}

/**
 * The condition that a row comes after the key, as a row comparison: an index can serve it, because all parts have the same
 * direction.
 */
function after<Row>(
  order: readonly KeyPart<Row>[],
  key: KeyValue[],
): ExpressionWrapper<never, never, boolean> {
  const direction = order[0]?.direction;
  if (order.some((part) => part.direction !== direction)) throw new Error('a keyset runs in one direction');
  const columns = sql.join(order.map(columnOf));
  const values = sql.join(key);
  const condition =
    direction === 'asc' ? sql<boolean>`(${columns}) > (${values})` : sql<boolean>`(${columns}) < (${values})`;
  return condition as unknown as ExpressionWrapper<never, never, boolean>;
}

/** Identifies a list with its filters and its caller: a cursor of any other list is rejected. */
export function cursorPurpose({ path, actor, reader }: ListContext, input: PageInput): string {
  const { page: _page, limit: _limit, cursor: _cursor, ...filters } = input;
  const caller = reader?.kind === 'visitor' ? reader.site : (reader ?? actor)?.user.id;
  return `cursor:${canonicalJson({ path, caller, filters } as unknown as Json)}`;
}

function signCursor(signer: Signer, purpose: string, key: KeyValue[]): string {
  const body = Buffer.from(JSON.stringify(key)).toString('base64url');
  return `${body}.${signer.sign(purpose, body)}`;
}

function verifyCursor(signer: Signer, purpose: string, cursor: string, parts: number): KeyValue[] {
  const [body = '', signature = '', ...rest] = cursor.split('.');
  if (rest.length === 0 && signer.verify(purpose, body, signature)) {
    const key: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (Array.isArray(key) && key.length === parts) return key;
  }
  throw invalidCursor();
}

const invalidCursor = () =>
  new DomainError('invalid', 'The page parameter is not a cursor of this list.', [
    { path: 'page', message: 'is not a cursor of this list' },
  ]);
