import { type ExpressionWrapper, type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';
import { DomainError } from './engine/errors.ts';
import { canonicalJson, type Json } from './engine/store/canonical.ts';
import type { Signer } from './ports.ts';
import { PREPARE } from './statement.ts';

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

/** The query parameters of every list. */
export const paging = {
  page: z.string().max(2048).optional().describe('Opaque id of the page to fetch, from `next.page`.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe('Number of items per page; 50 by default.'),
};

export interface PageInput {
  page?: string | undefined;
  limit?: number | undefined;
}

/** The list envelope: `next` is absent on the last page, `count` is the total of the filtered list. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    next: z.object({ page: z.string() }).optional(),
    count: z.number().int(),
    items: z.array(item),
  });

export interface List<Item> {
  next?: { page: string };
  count: number;
  items: Item[];
}

type KeyValue = string | number | null;

/** One part of the order of a list. The last part must be unique, so that the order is total. */
interface KeyPart<Row> {
  /** The column in SQL. */
  column: string;
  direction: 'asc' | 'desc';
  /** The column's value in a row, exactly as the database returned it. */
  of: (row: Row) => KeyValue;
}

const prepare = sql.raw(PREPARE);

/** The part of a procedure's context that identifies its list. */
export interface ListContext {
  /** The procedure's name. */
  path: string;
  services: { signer: Signer };
  /** The caller: the items of a list may depend on them. */
  actor?: { user: { id: string } };
}

interface ListQuery<DB, Table extends keyof DB, Row> {
  rows: SelectQueryBuilder<DB, Table, Row>;
  /** Selects one number, the total. */
  count: SelectQueryBuilder<DB, Table, { count: string | number | bigint }>;
  order: readonly KeyPart<Row>[];
}

/**
 * Reads one page by keyset: two concurrent statements, whatever the length of the list.
 * @throws DomainError `invalid` for a cursor of another list.
 */
export async function readPage<DB, Table extends keyof DB, Row>(
  ctx: ListContext,
  input: PageInput,
  query: ListQuery<DB, Table, Row>,
): Promise<List<Row>> {
  const { order } = query;
  const { signer } = ctx.services;
  const limit = input.limit ?? DEFAULT_LIMIT;
  const purpose = purposeOf(ctx, input);
  let rows = query.rows;
  if (input.page !== undefined)
    rows = rows.where(after(order, openCursor(signer, purpose, input.page, order.length)));
  for (const part of order) rows = rows.orderBy(sql.ref(part.column), part.direction);
  const [items, total] = await Promise.all([
    rows
      .limit(limit + 1)
      .modifyEnd(prepare)
      .execute(),
    query.count.modifyEnd(prepare).executeTakeFirstOrThrow(),
  ]);
  const result: List<Row> = { count: Number(total.count), items };
  if (items.length > limit) {
    items.pop();
    const last = items[items.length - 1] as Row;
    result.next = {
      page: sealCursor(
        signer,
        purpose,
        order.map((part) => part.of(last)),
      ),
    };
  }
  return result;
}

interface KeyedList<Item> {
  /** The items after the one with this key, or from the first, at most `limit`. */
  read: (after: string | undefined, limit: number) => Promise<Item[]>;
  count: () => Promise<number>;
  keyOf: (item: Item) => string;
}

/** Reads one page of a list that is not in a table, by the key of its items; otherwise like `readPage`. */
export async function readKeyedPage<Item>(
  ctx: ListContext,
  input: PageInput,
  { read, count, keyOf }: KeyedList<Item>,
): Promise<List<Item>> {
  const { signer } = ctx.services;
  const limit = input.limit ?? DEFAULT_LIMIT;
  const purpose = purposeOf(ctx, input);
  const after = input.page === undefined ? undefined : String(openCursor(signer, purpose, input.page, 1)[0]);
  const [items, total] = await Promise.all([read(after, limit + 1), count()]);
  const result: List<Item> = { count: total, items };
  if (items.length > limit) {
    items.pop();
    result.next = { page: sealCursor(signer, purpose, [keyOf(items[items.length - 1] as Item)]) };
  }
  return result;
}

/**
 * The condition that a row comes after the key: a row comparison, which an index can serve, because all parts have the
 * same direction.
 */
function after<Row>(
  order: readonly KeyPart<Row>[],
  key: KeyValue[],
): ExpressionWrapper<never, never, boolean> {
  const direction = order[0]?.direction;
  if (order.some((part) => part.direction !== direction)) throw new Error('a keyset runs in one direction');
  const columns = sql.join(order.map((part) => sql.ref(part.column)));
  const values = sql.join(key);
  const condition =
    direction === 'asc' ? sql<boolean>`(${columns}) > (${values})` : sql<boolean>`(${columns}) < (${values})`;
  return condition as unknown as ExpressionWrapper<never, never, boolean>;
}

/** Identifies a list with its filters and its caller: a cursor of any other list is rejected. */
function purposeOf({ path, actor }: ListContext, input: PageInput): string {
  const { page: _page, limit: _limit, ...filters } = input;
  return `cursor:${canonicalJson({ path, caller: actor?.user.id, filters } as unknown as Json)}`;
}

function sealCursor(signer: Signer, purpose: string, key: KeyValue[]): string {
  const body = Buffer.from(JSON.stringify(key)).toString('base64url');
  return `${body}.${signer.sign(purpose, body)}`;
}

function openCursor(signer: Signer, purpose: string, cursor: string, parts: number): KeyValue[] {
  const [body = '', signature = '', ...rest] = cursor.split('.');
  if (rest.length === 0 && signer.verify(purpose, body, signature)) {
    const key: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (Array.isArray(key) && key.length === parts) return key;
  }
  throw new DomainError('invalid', 'The page parameter is not a cursor of this list.', [
    { path: 'page', message: 'is not a cursor of this list' },
  ]);
}
