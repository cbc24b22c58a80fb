import { z } from 'zod';
import type { Translation } from '../../schema/entities/translation.ts';
import { LANGUAGES, type Role, TRANSLATION_ENGINES, TRANSLATION_STATUSES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { permissionFlags, permissionsOf, TRANSLATION_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { TranslationEngine } from '../base/language-ports.ts';
import { Document } from '../engine/document/document.ts';
import { published } from '../engine/markdown/published/published.ts';

export const LanguageSchema = z.enum(LANGUAGES);

const Conflict = z.object({
  kind: z.string().describe('As of a conflict of a change request.'),
  page: z.string().optional().describe('The id of the page.'),
  file: z.string().optional().describe('The id of the file.'),
  reusableContent: z.string().optional().describe('The id of the reusable content.'),
  block: z.string().optional().describe('The key of the block.'),
  field: z.string().optional().describe('The field that both changed.'),
});

const count = z.number().int();

/** The public object of a translation. */
export const TranslationObject = z
  .object({
    object: z.literal('translation').describe('The type of the object: always `translation`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    status: z
      .enum(TRANSLATION_STATUSES)
      .describe('`completed` once the last run has ended, however: `error` says whether it failed.'),
    source: z
      .object({
        space: z.string().describe('The id of the space that is translated.'),
        language: LanguageSchema.describe('The language that it is written in.'),
      })
      .describe('What is translated.'),
    language: LanguageSchema.describe('A language code, such as `en` or `pt-br`.'),
    instructions: Document.describe('The instructions to follow, as a document.'),
    engine: z
      .enum(TRANSLATION_ENGINES)
      .describe('`pseudo` is no translation: it only shows which texts would be translated.'),
    runOnChange: z.boolean().describe('Whether it runs after each change of the source, such as a merge.'),
    result: z
      .object({
        space: z.string().describe('The id of the space that holds the translation.'),
        revision: z.string().describe('The id of its revision after the last run.'),
        language: LanguageSchema.describe('The language that it is in.'),
      })
      .optional()
      .describe(
        'The space with the translation, and the revision that the last run made; absent until one has ended.',
      ),
    progress: z.number().int().optional().describe('Of the run that is under way, in percent.'),
    error: z.string().optional().describe('Why the last run failed, or what it could not translate.'),
    conflicts: z
      .array(Conflict)
      .optional()
      .describe(
        'Where the last run that changed anything would have changed what people wrote in the result; what they wrote is kept.',
      ),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    stats: z
      .object({
        runs: count.describe('How many runs there were.'),
        totalWords: count.describe(
          'Words that were translated; what had been translated before does not count again.',
        ),
        totalPages: count.describe('How many pages all runs translated.'),
        totalDuration: count.describe('In seconds, as `latestRunDuration` is.'),
        latestRunDuration: count.describe('How long the last run took, in seconds.'),
        latestPages: count.describe('How many pages the last run translated.'),
        latestWords: count.describe('How many words the last run translated.'),
      })
      .describe('Counts of the runs.'),
    permissions: permissionFlags(TRANSLATION_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'Translation', description: 'A space that is kept translated in another.' });

/** The share that is done: what has not ended is never all of it. */
const progressOf = ({ done, total }: { done: number; total: number }): number =>
  total === 0 ? 0 : Math.min(99, Math.floor((done * 100) / total));

/** @param level the caller's level on both of its spaces */
export const presentTranslation = (
  translation: Presentable<Translation>,
  level: Role,
  engine: Pick<TranslationEngine, 'name'>,
  { scope, urls }: Pick<Viewer, 'scope' | 'urls'>,
): z.infer<typeof TranslationObject> => ({
  object: 'translation',
  id: translation.id,
  status: translation.status,
  source: { space: translation.source, language: translation.sourceLanguage },
  language: translation.language,
  instructions: published(translation.instructions as Document),
  engine: engine.name,
  runOnChange: translation.runOnChange,
  result: translation.resultRevision
    ? { space: translation.result, revision: translation.resultRevision, language: translation.language }
    : undefined,
  progress: translation.status === 'running' ? progressOf(translation) : undefined,
  error: translation.error ?? undefined,
  conflicts: translation.conflicts.length > 0 ? translation.conflicts : undefined,
  createdAt: isoTime(translation.createdAt),
  updatedAt: isoTime(translation.updatedAt),
  stats: {
    runs: translation.runs,
    totalWords: translation.totalWords,
    totalPages: translation.totalPages,
    totalDuration: translation.totalDuration,
    latestRunDuration: translation.latestRunDuration,
    latestPages: translation.latestPages,
    latestWords: translation.latestWords,
  },
  permissions: permissionsOf(TRANSLATION_NEEDS, { level, scope }),
  urls: { location: urls.location('orgs', translation.organization, 'translations', translation.id) },
});
