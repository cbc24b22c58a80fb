import type { z } from 'zod';

/** What the type of a schema is, where the schema itself checks less than its type says. */
export type DeclaredType =
  /** An interface or type that a module exports, by name. */
  | { name: string; module: string }
  /** A stream of tracked items. */
  | { itemsOf: z.ZodType };

/** The types of schemas that were given one: the packed client is typed from schemas alone. */
export const declaredTypes = new WeakMap<z.core.$ZodType, DeclaredType>();

/**
 * The same check, typed as what a module exports under a name: `declaredAs<Block>(BlockShape, 'Block', import.meta.url)`. A
 * test compares such names with the types that the compiler infers.
 */
export function declaredAs<Type>(schema: z.ZodType, name: string, module: string): z.ZodType<Type, Type> {
  const typed = schema.clone() as z.ZodType<Type, Type>;
  declaredTypes.set(typed, { name, module });
  return typed;
}
