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
  kind: z.string().describe('The kind of conflict, as for change requests.'),
  page: z.string().optional().describe('The id of the page.'),
  file: z.string().optional().describe('The id of the file.'),
  reusableContent: z.string().optional().describe('The id of the reusable content.'),
  block: z.string().optional().describe('The key of the block.'),
  field: z.string().optional().describe('The field that was changed on both sides.'),
});

const count = z.number().int();

/** The public object of a translation. */
export const TranslationObject = z
  .object({
    object: z.literal('translation').describe('The type of the object: always `translation`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    status: z
      .enum(TRANSLATION_STATUSES)
      .describe(
        'The state of the last run: `completed` once it has ended, even if it failed, in which case `error` is set.',
      ),
    source: z
      .object({
        space: z.string().describe('The id of the space to translate.'),
        language: LanguageSchema.describe('The language of the source.'),
      })
      .describe('The space to translate.'),
    language: LanguageSchema.describe('The language to translate into, such as `en` or `pt-br`.'),
    instructions: Document.describe('The instructions to follow, as a document.'),
    engine: z
      .enum(TRANSLATION_ENGINES)
      .describe(
        'The translation engine; `pseudo` does not translate, but marks the texts that would be translated.',
      ),
    runOnChange: z
      .boolean()
      .describe('Whether it runs automatically after each change of the source, such as a merge.'),
    result: z
      .object({
        space: z.string().describe('The id of the space with the translation.'),
        revision: z.string().describe('The id of its revision after the last run.'),
        language: LanguageSchema.describe('The language of the translation.'),
      })
      .optional()
      .describe(
        'The space with the translation, and the revision that the last run created; absent until the first run has ended.',
      ),
    progress: z
      .number()
      .int()
      .optional()
      .describe('The progress of the current run, in percent; absent if none is running.'),
    error: z.string().optional().describe('Why the last run failed, or what it could not translate.'),
    conflicts: z
      .array(Conflict)
      .optional()
      .describe(
        'The places where a run would have overwritten edits by users in the result, which are kept.',
      ),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    stats: z
      .object({
        runs: count.describe('The number of runs.'),
        totalWords: count.describe(
          'The number of translated words, without words that had been translated before.',
        ),
        totalPages: count.describe('The number of pages that were translated.'),
        totalDuration: count.describe('The duration of all runs, in seconds.'),
        latestRunDuration: count.describe('The duration of the last run, in seconds.'),
        latestPages: count.describe('The number of pages that the last run translated.'),
        latestWords: count.describe('The number of words that the last run translated.'),
      })
      .describe('Statistics of the runs.'),
    permissions: permissionFlags(TRANSLATION_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'Translation',
    description: 'A translation of a space into another language, in a space of its own.',
  });

/** The progress in percent, below 100 until the run has ended. */
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
