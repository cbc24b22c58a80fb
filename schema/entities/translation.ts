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
    /** The space of the result, which users may edit. */
    result: () => p.manyToOne(Space).mapToPk().deleteRule('cascade').index(),
    language: p.enum(LANGUAGES),
    instructions: p.json<Document>(),
    /** Whether each change of the source requests a run. */
    runOnChange: p.boolean().default(false),
    status: p.enum(TRANSLATION_STATUSES).default('pending'),
    /** The number of the last requested run; a cancelled run never ends. */
    run: p.integer().default(1),
    /** The user on whose behalf it runs: it can read and write what they can. */
    runBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null').index(),
    /** Whether another run was requested since this one began. */
    runAgain: p.boolean().default(false),
    startedAt: timestamp().nullable(),
    /** The number of translated documents in the run, and the total. */
    done: p.integer().default(0),
    total: p.integer().default(0),
    /** Why the last run failed, or is incomplete. */
    error: p.text().nullable(),
    /** Where the last result conflicted with edits by users, which were kept. */
    conflicts: p.json<TranslationConflict[]>(),
    /** The revision of the source that was last translated, and its translation without edits by users. */
    sourceRevision: () => p.manyToOne(Revision).mapToPk().nullable().deleteRule('set null').index(),
    translatedRevision: () => p.manyToOne(Revision).mapToPk().nullable().deleteRule('set null').index(),
    /** The revision of the result that the last run created. */
    resultRevision: () => p.manyToOne(Revision).mapToPk().nullable().deleteRule('set null').index(),
    /** A digest of all that the translation depends on besides the source; null if it is incomplete. */
    context: bytewise().nullable(),
    runs: p.integer().default(0),
    totalWords: p.integer().default(0),
    totalPages: p.integer().default(0),
    /** In seconds, as all durations here. */
    totalDuration: p.integer().default(0),
    latestRunDuration: p.integer().default(0),
    latestPages: p.integer().default(0),
    latestWords: p.integer().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type Translation = InferEntity<typeof Translation>;
