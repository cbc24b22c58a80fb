import type { AnyProcedure } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../../../routers/base/trpc.ts';
import { appRouter } from '../../../routers/index.ts';
import { isHttpInput } from '../../../routers/sql/pagination.ts';
import { definitionOf, proceduresOf } from '../../trpc/trpc-internals.ts';

/** The meta of a procedure that has a route. */
export type FacadeMeta = Meta & { openapi: NonNullable<Meta['openapi']> };
/** A procedure that has a route. */
export interface FacadeProcedure {
  name: string;
  procedure: AnyProcedure;
  meta: FacadeMeta;
}

/** All procedures that have a route, by tag. */
export function facadeProcedures(): FacadeProcedure[] {
  const procedures = Object.entries(proceduresOf(appRouter));
  const inFacade = procedures.flatMap(([name, procedure]) => {
    const { meta } = definitionOf(procedure);
    return meta?.openapi ? [{ name, procedure, meta: meta as FacadeMeta }] : [];
  });
  return [...Map.groupBy(inFacade, tagOf).values()].flat();
}

const tagOf = ({ meta }: FacadeProcedure) => meta.openapi.tags?.[0] as string;

/** The tags of the document, in the order of the root router. */
export const tagsOf = (procedures: readonly FacadeProcedure[]) => [...new Set(procedures.map(tagOf))];

export const hasBody = ({ openapi: { method } }: FacadeMeta) => method !== 'GET' && method !== 'DELETE';

/** The whole input of a procedure over HTTP, as one object. */
export function inputOf(procedure: AnyProcedure): z.ZodObject {
  const inputs = definitionOf(procedure).inputs as z.ZodObject[];
  const members = inputs.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
  return z.object(Object.fromEntries(members.filter(([, schema]) => isHttpInput(schema))));
}

/**
 * A procedure as the generator gets it. It rejects query parameters of several types, and describes errors by its own codes:
 * both are added by amendments.
 */
export function generatorInput({ name, procedure, meta }: FacadeProcedure) {
  let input = inputOf(procedure);
  if (!hasBody(meta)) {
    const inPath = Object.entries(input.shape).filter(([key]) => meta.openapi.path.includes(`{${key}}`));
    input = z.object(Object.fromEntries(inPath));
  }
  const { type, output: described } = definitionOf(procedure);
  const output = meta.produces ? z.unknown() : described;
  const openapi = { ...meta.openapi, errorResponses: [] };
  return [name, { type, inputs: [input], output, meta: { openapi } }] as const;
}
