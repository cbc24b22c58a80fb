import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp, updatedAt } from '../columns.ts';
import { LANGUAGES, TRANSLATION_STATUSES } from '../enums.ts';
import type { Document } from '../json/document.ts';
import type { TranslationConflict } from '../json/translation-conflict.ts';
import { Organization } from './organization.ts';
import { Revision } from './revision.ts';
import { Space } from './space.ts';
import { User } from './user.ts';

/** A space that is kept translated into another language, in a space of its own. */
export const Translation = defineEntity({
  name: 'Translation',
  tableName: 'translation',
  indexes: [{ name: 'translation_list', properties: ['organization', 'id'] }],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    source: () => p.manyToOne(Space).mapToPk().deleteRule('cascade').index(),
    sourceLanguage: p.enum(LANGUAGES),
    /** The space of the result, which people may edit. */
    result: () => p.manyToOne(Space).mapToPk().deleteRule('cascade').index(),
    language: p.enum(LANGUAGES),
    instructions: p.json<Document>(),
    /** Whether each change of the source asks for a run. */
    runOnChange: p.boolean().default(false),
    status: p.enum(TRANSLATION_STATUSES).default('pending'),
    /** The number of the run that was last asked for; a cancelled one never ends. */
    run: p.integer().default(1),
    /** On whose behalf it runs: it reads and writes what they may. */
    runBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null').index(),
    /** Whether another run was asked for since this one began. */
    runAgain: p.boolean().default(false),
    startedAt: timestamp().nullable(),
    /** Documents of the run that are translated, of how many. */
    done: p.integer().default(0),
    total: p.integer().default(0),
    /** Why the last run brought no result, or not all of it. */
    error: p.text().nullable(),
    /** What of the last result differs from what people wrote, which was kept. */
    conflicts: p.json<TranslationConflict[]>(),
    /** The revision of the source that was last translated, and its translation, without what people changed. */
    sourceRevision: () => p.manyToOne(Revision).mapToPk().nullable().deleteRule('set null').index(),
    translatedRevision: () => p.manyToOne(Revision).mapToPk().nullable().deleteRule('set null').index(),
    /** The revision that the last run made of the result. */
    resultRevision: () => p.manyToOne(Revision).mapToPk().nullable().deleteRule('set null').index(),
    /** What decided about the texts besides the source, as a digest; null if not all could be translated. */
    context: bytewise().nullable(),
    runs: p.integer().default(0),
    totalWords: p.integer().default(0),
    totalPages: p.integer().default(0),
    /** Durations are in seconds. */
    totalDuration: p.integer().default(0),
    latestRunDuration: p.integer().default(0),
    latestPages: p.integer().default(0),
    latestWords: p.integer().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type Translation = InferEntity<typeof Translation>;
