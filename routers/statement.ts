import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './context.ts';

/**
 * Ends the text of a statement that a connection is to prepare by name. Every text that it ends is kept by every
 * connection, so it may not vary with what a caller sends.
 */
export const PREPARE = '/* prepare */';

/** Stands in a statement for the parameter of this index; no real value holds a NUL. */
const marker = (index: number) => `\0${index}`;

/**
 * A statement that many requests send: put together and compiled once, prepared by its connection, then run with other
 * texts in the places of its parameters, on the pool or in a transaction.
 */
export function statement<Parameters extends (string | string[])[], Row>(
  build: (db: Db, ...parameters: Parameters) => Compilable<Row>,
): (db: Db, ...parameters: Parameters) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  const positions = new Map<unknown, number>();
  return async (db, ...parameters) => {
    if (!compiled) {
      const markers = parameters.map((_, index) => marker(index)) as Parameters;
      for (const [index, text] of markers.entries()) positions.set(text, index);
      const built = build(db, ...markers).compile();
      compiled = { ...built, sql: `${built.sql} ${PREPARE}` };
    }
    const values = compiled.parameters.map((value) => {
      const position = positions.get(value);
      return position === undefined ? value : parameters[position];
    });
    return (await db.executeQuery<Row>({ ...compiled, parameters: values })).rows;
  };
}

/**
 * Whether an error says no more than that a connection has lost a prepared statement: it is unknown or known already,
 * or the tables it reads have changed. The driver's own words depend on the language of the server.
 */
export function isLostStatement(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  return code === '26000' || code === '42P05';
}
