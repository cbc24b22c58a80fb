import { z } from 'zod';
import { OpenAPISpecObject } from '../specs/specs.api.ts';

/** A step of publishing an OpenAPI document. */
export type PublicationStep = 'storing' | 'processing';

export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** The result of publishing an OpenAPI document. */
export const PublicationObject = z.object({
  spec: OpenAPISpecObject,
  /** Absent if the document was rejected; `spec` has the reason. */
  version: z
    .object({ id: z.string(), createdAt: z.string(), operations: z.number().int(), isNew: z.boolean() })
    .optional(),
});
