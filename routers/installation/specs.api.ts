import { z } from 'zod';
import { OpenAPISpecObject } from '../specs/specs.api.ts';

/** What is being done, of a publication. */
export type PublicationStep = 'storing' | 'processing';

export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** What came of publishing a document. */
export const PublicationObject = z.object({
  spec: OpenAPISpecObject,
  /** Absent if the document was refused; `spec` says why. */
  version: z
    .object({ id: z.string(), createdAt: z.string(), operations: z.number().int(), isNew: z.boolean() })
    .optional(),
});
