import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './context.ts';

/** Stands in a statement for the parameter of this index; no real value holds a NUL. */
const marker = (index: number) => `\0${index}`;

/**
 * A statement that many requests send: put together and compiled once, then run with other texts in the places of its
 * parameters, on the pool or in a transaction.
 */
export function statement<Parameters extends string[], Row>(
  build: (db: Db, ...parameters: Parameters) => Compilable<Row>,
): (db: Db, ...parameters: Parameters) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  const positions = new Map<unknown, number>();
  return async (db, ...parameters) => {
    if (!compiled) {
      const markers = parameters.map((_, index) => marker(index)) as Parameters;
      for (const [index, text] of markers.entries()) positions.set(text, index);
      compiled = build(db, ...markers).compile();
    }
    const values = compiled.parameters.map((value) => {
      const position = positions.get(value);
      return position === undefined ? value : parameters[position];
    });
    return (await db.executeQuery<Row>({ ...compiled, parameters: values })).rows;
  };
}
