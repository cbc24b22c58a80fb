import {
  type EntitySchemaWithMeta,
  type InferEntity,
  type InferKyselyDB,
  type Opt,
  UnderscoreNamingStrategy,
} from '@mikro-orm/postgresql';
import { type AliasedExpression, sql } from 'kysely';
import type { entities } from './orm.config.ts';

/** The tables and their columns, as Kysely types. */
export type Database = InferKyselyDB<(typeof entities)[number]>;

/**
 * One row with the entity's property names, as Kysely reads it: every column is present, and times are text, not dates as
 * in the unit of work.
 */
export type Row<Entity> = {
  [Key in keyof Entity as Key extends string ? Key : never]-?: Column<Exclude<Entity[Key], undefined>>;
};

/** What a presenter accepts: a row, or an entity whose absent columns may be undefined instead of null. */
export type Presentable<Entity> = {
  [Key in keyof Entity as Key extends string ? Key : never]: Column<Entity[Key]>;
};

type Column<Value> = Date extends Value
  ? Date | string | Extract<Value, null | undefined>
  : Value extends Opt<infer Plain>
    ? Plain
    : Value;

type Selection<R> = { [Key in keyof R & string]: AliasedExpression<R[Key], Key> }[keyof R & string][];

const selections = new WeakMap<object, Map<string, unknown>>();

/**
 * The select list of a whole entity, each column under the name of its property, so that presenters accept both rows read
 * by Kysely and entities of the unit of work: `db.selectFrom('space').select(columnsOf(Space))`.
 */
export function columnsOf<Schema extends EntitySchemaWithMeta>(
  schema: Schema,
  table = schema.meta.tableName,
) {
  return selectionOf(schema, table, '') as Selection<Row<InferEntity<Schema>>>;
}

/** Like {@link columnsOf}, for some of the properties: even for one row, each column has a cost. */
export const someColumnsOf = <
  Schema extends EntitySchemaWithMeta,
  Key extends keyof Row<InferEntity<Schema>> & string,
>(
  schema: Schema,
  names: readonly Key[],
) =>
  columnsOf(schema).filter(({ alias }) => (names as readonly string[]).includes(String(alias))) as Selection<
    Pick<Row<InferEntity<Schema>>, Key>
  >;

/** A part of a row whose names all start with a prefix, as {@link columnsUnder} selects it. */
export type Prefixed<R, Prefix extends string> = { [Key in keyof R & string as `${Prefix}.${Key}`]: R[Key] };

/** Like {@link columnsOf}, for a second entity in a row: each name has a prefix, which {@link partOf} removes. */
export function columnsUnder<Schema extends EntitySchemaWithMeta, Prefix extends string>(
  prefix: Prefix,
  schema: Schema,
  table = schema.meta.tableName,
) {
  return selectionOf(schema, table, `${prefix}.`) as Selection<Prefixed<Row<InferEntity<Schema>>, Prefix>>;
}

/** Like {@link columnsUnder}, for some of the properties. */
export const someColumnsUnder = <
  Prefix extends string,
  Schema extends EntitySchemaWithMeta,
  Key extends keyof Row<InferEntity<Schema>> & string,
>(
  prefix: Prefix,
  schema: Schema,
  names: readonly Key[],
) =>
  columnsUnder(prefix, schema).filter(({ alias }) =>
    (names as readonly string[]).includes(String(alias).slice(prefix.length + 1)),
  ) as Selection<Prefixed<Pick<Row<InferEntity<Schema>>, Key>, Prefix>>;

/** The entity whose columns have a prefix; undefined if a left join found no row. */
export function partOf<R, Prefix extends string>(row: Prefixed<R, Prefix>, prefix: Prefix): R | undefined;
export function partOf(row: Record<string, unknown>, prefix: string): unknown {
  const start = `${prefix}.`;
  const part: Record<string, unknown> = {};
  let exists = false;
  for (const [name, value] of Object.entries(row)) {
    if (!name.startsWith(start)) continue;
    part[name.slice(start.length)] = value;
    if (value !== null) exists = true;
  }
  return exists ? part : undefined;
}

function selectionOf(schema: EntitySchemaWithMeta, table: string, prefix: string): unknown {
  let known = selections.get(schema);
  if (!known) {
    known = new Map();
    selections.set(schema, known);
  }
  const key = `${table} ${prefix}`;
  let selection = known.get(key);
  if (!selection) {
    selection = Object.entries(schema.meta.properties).map(([name, property]) =>
      sql.ref(`${table}.${columnName(name, property)}`).as(`${prefix}${name}`),
    );
    known.set(key, selection);
  }
  return selection;
}

const naming = new UnderscoreNamingStrategy();

/** The column of a property, named as the ORM names it. */
function columnName(name: string, { fieldName, kind }: { fieldName?: string; kind?: string }): string {
  return (
    fieldName ?? (kind === 'm:1' ? naming.joinKeyColumnName(name, 'id') : naming.propertyToColumnName(name))
  );
}
