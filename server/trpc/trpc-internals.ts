import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { OpenApiRouter } from 'trpc-to-openapi';
import type { z } from 'zod';
import type { Meta } from '../../routers/base/trpc.ts';

/**
 * All access to tRPC's internals (`_def` of version 11), which its types declare only in part or not at all.
 * `test/server/call-procedure.test.ts` and `trpc-calls.test.ts` compare what is built on them with the library itself, and
 * fail if an update changes them.
 */

/** A step of a procedure; steps that parse an input or the output have a `_type`. */
export interface ProcedureStep<Call, Result> {
  (call: Call): Promise<Result>;
  _type?: string;
}

/** What a procedure was built from. */
export interface ProcedureDefinition {
  type: 'query' | 'mutation' | 'subscription';
  meta: Meta | undefined;
  inputs: readonly z.ZodType[];
  output: z.ZodType | undefined;
  /** The steps that parse inputs and the output, middleware, and last the resolver. */
  middlewares: ProcedureStep<never, unknown>[];
}

export const definitionOf = (procedure: AnyProcedure): ProcedureDefinition =>
  procedure._def as unknown as ProcedureDefinition;

/** The procedures of a router and its nested routers, by dotted name. */
export const proceduresOf = (router: AnyRouter): Record<string, AnyProcedure> =>
  router._def.procedures as unknown as Record<string, AnyProcedure>;

/** A router as tRPC keeps it. */
export interface RouterRecord {
  [name: string]: AnyProcedure | RouterRecord;
}

/** The procedures and nested routers of a router, as a tree. */
export const recordOf = (router: AnyRouter): RouterRecord => router._def.record as unknown as RouterRecord;

/** The transformer and the error formatter of a router. */
export const configOf = (router: AnyRouter): AnyRouter['_def']['_config'] => router._def._config;

/** A router with some procedures, complete enough for the generator of OpenAPI documents. */
export const describedRouter = (
  procedures: Record<string, Pick<ProcedureDefinition, 'type' | 'inputs' | 'output' | 'meta'>>,
): OpenApiRouter => {
  const described = Object.entries(procedures).map(([name, definition]) => [name, { _def: definition }]);
  return { _def: { procedures: Object.fromEntries(described) } } as unknown as OpenApiRouter;
};
