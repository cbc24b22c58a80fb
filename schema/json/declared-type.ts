import type { z } from 'zod';

/** The type of a schema that checks less than its type says. */
export type DeclaredType =
  /** An interface or type that a module exports, by name. */
  | { name: string; module: string }
  /** A stream of tracked items. */
  | { itemsOf: z.ZodType };

/** The declared types of schemas: the packed client is typed from schemas alone. */
export const declaredTypes = new WeakMap<z.core.$ZodType, DeclaredType>();

/**
 * A copy of a schema whose type is one that a module exports: `declaredAs<Block>(BlockShape, 'Block', import.meta.url)`. A
 * test compares such names with the types that the compiler infers.
 */
export function declaredAs<Type>(schema: z.ZodType, name: string, module: string): z.ZodType<Type, Type> {
  const typed = schema.clone() as z.ZodType<Type, Type>;
  declaredTypes.set(typed, { name, module });
  return typed;
}
