import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from '../base/db.ts';

/**
 * Marks a statement, at the end of its text, that connections prepare by name. Every connection keeps every such text, so
 * it must not vary with user input.
 */
export const PREPARE = '/* prepare */';

/** A placeholder for the parameter with this index; no real value contains a NUL. */
const marker = (index: number) => `\0${index}`;

/**
 * A frequent statement: built and compiled once, prepared by each connection, then run with different parameters, on the
 * pool or in a transaction.
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
 * Whether an error only means that a connection has lost a prepared statement: it is unknown, or exists already, or the
 * tables it reads have changed. Decided by the error code, because messages depend on the server's language.
 */
export function isLostStatement(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  return code === '26000' || code === '42P05';
}
