import { z } from 'zod';
import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import { isoTime } from '../base/common-schemas.ts';

/** The public object of the adaptive schema of a site. */
export const AdaptiveSchemaObject = z
  .object({
    object: z
      .literal('site-adaptive-schema')
      .describe('The type of the object: always `site-adaptive-schema`.'),
    jsonSchema: AdaptiveSchema.describe('The JSON Schema of the claims of visitors.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
  })
  .meta({ id: 'SiteAdaptiveSchema', description: 'The claims about visitors that a site accepts.' });

export const presentAdaptiveSchema = (
  jsonSchema: AdaptiveSchema,
  updatedAt: Date | string,
): z.infer<typeof AdaptiveSchemaObject> => ({
  object: 'site-adaptive-schema',
  jsonSchema,
  updatedAt: isoTime(updatedAt),
});
