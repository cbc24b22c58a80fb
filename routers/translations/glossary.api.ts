import { z } from 'zod';
import type { GlossaryEntry } from '../../schema/entities/glossary-entry.ts';
import { LANGUAGES } from '../../schema/enums.ts';
import { text } from '../../schema/json/text.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';

/** The maximum of changes in one request. */
const MAX_OPERATIONS = 500;

const Term = text({ min: 1, max: 255 }).regex(/^[^\n\r]*$/, 'must be one line');

/** The terms of an entry by language. */
const Terms = z
  .partialRecord(z.enum(LANGUAGES), Term)
  .transform((terms): Record<string, string> => ({ ...terms }))
  .describe('The term by language, used in translations from one of these languages into another.');

export const GlossaryOperations = z
  .array(
    z.discriminatedUnion('type', [
      z.object({
        type: z.literal('insert').describe('Whether to add, change or remove an entry.'),
        translations: Terms.describe('The term in each language.'),
      }),
      z.object({
        type: z.literal('update').describe('Whether to add, change or remove an entry.'),
        id: z.string().describe('The id of the entry.'),
        translations: Terms.describe('The term in each language.'),
      }),
      z.object({
        type: z.literal('delete').describe('Whether to add, change or remove an entry.'),
        id: z.string().describe('The id of the entry.'),
      }),
    ]),
  )
  .max(MAX_OPERATIONS)
  .describe('The changes, which are applied in order, all or none.');
export type GlossaryOperation = z.output<typeof GlossaryOperations>[number];

/** The public object of a glossary entry. */
export const GlossaryEntryObject = z
  .object({
    object: z.literal('glossary-entry').describe('The type of the object: always `glossary-entry`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    translations: z.record(z.string(), z.string()).describe('The term by language.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'GlossaryEntry', description: 'A term and its translations.' });

export const presentGlossaryEntry = (
  { id, organization, translations, createdAt, updatedAt }: Presentable<GlossaryEntry>,
  { urls }: Pick<Viewer, 'urls'>,
): z.infer<typeof GlossaryEntryObject> => ({
  object: 'glossary-entry',
  id,
  translations,
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
  urls: { location: urls.location('orgs', organization, 'translations-glossary', id) },
});
