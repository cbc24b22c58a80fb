import { sql } from 'kysely';
import { Translation } from '../../schema/entities/translation.ts';
import { User } from '../../schema/entities/user.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { includes } from '../access/levels.ts';
import { loadSpace } from '../access/load.query.ts';
import { TRANSLATION_NEEDS } from '../access/needs.ts';
import { runFor } from '../base/caller.ts';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { EngineFailure } from '../base/language-ports.ts';
import { outageOf } from '../base/outage.ts';
import type { Jobs } from '../base/ports.ts';
import { saveContent } from '../branches/advance.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRevisions } from '../branches/roots.query.ts';
import { DomainError } from '../engine/errors.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { ContentToTranslate } from '../engine/translation/content.ts';
import { plainTextSource } from '../engine/translation/documents.ts';
import { readRunContext } from './run-context.query.ts';
import { saveFailure, saveResult } from './save-result.operation.ts';
import { type Translating, translateTexts } from './translate-texts.operation.ts';

/** Documents that are taken apart, translated and saved at once: bounds the memory of a run. */
const DOCUMENTS = 50;

/** Titles and descriptions that are translated at once. */
const TEXTS = 2000;

/** Somebody has cancelled the run, or asked for another one, or deleted the translation. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/** What users have to do something about: a plain sentence. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

/**
 * Runs a translation, once, however often it is called: only the run that was last asked for, and only until it has ended. A
 * process that is killed in between leaves its job, which then runs again, and finds in the memory what was translated.
 */
export async function runTranslation(
  context: Context,
  { translation: id, run }: Jobs['run-translation'],
): Promise<void> {
  const translation = await context.db
    .updateTable('translation')
    .set({ status: 'running', run_again: false, started_at: sql<Date>`now()`, done: 0, total: 0 })
    .where('id', '=', id)
    .where('run', '=', run)
    .where('status', '<>', 'completed')
    .returning(columnsOf(Translation))
    .executeTakeFirst();
  if (!translation) return;
  const { organization } = translation;
  // What it takes counts for the organization, beside what its members do.
  await runFor({ organization, user: organization }, () =>
    runLoaded(context, translation).catch((error: unknown) => failed(context, translation, error)),
  );
}

/** Ends a run that has failed, with what users read; what only has to be tried again is thrown. */
async function failed(context: Context, translation: Row<Translation>, error: unknown): Promise<void> {
  if (error instanceof GivenUp) return;
  if (outageOf(error) || (error instanceof DomainError && error.code === 'unavailable')) throw error;
  const isExpected = error instanceof EngineFailure || error instanceof Refusal;
  if (!isExpected)
    context.services.logger.error(
      { err: error, translation: translation.id },
      'a translation could not be run',
    );
  await saveFailure(context, translation, isExpected ? error.message : 'The service failed to run it.');
}

async function runLoaded(context: Context, translation: Row<Translation>): Promise<void> {
  const { db, services } = context;
  const { organization } = translation;
  const engine = services.background.for({ organization, user: organization });
  const author = await requireAuthor(db, translation);
  const revision = await readSource(db, translation);
  const settings = await readRunContext(db, translation, services.translationEngine);
  const earlier = await readEarlier(db, translation, settings.digest);
  const content: ContentToTranslate = { source: revision.root, before: earlier };
  const changed = await engine.run('findChangedContent', content, objectReader(db));
  const total = changed.documents.length + 1;
  const run: Translating = {
    db,
    engine: services.translationEngine,
    translation,
    context: settings,
    requireCurrent: () => requireCurrent(db, translation),
    tally: { words: 0, untranslated: 0, translated: 0 },
  };
  const texts = await translatePlainTexts(run, changed.texts);
  await noteProgress(db, translation, { done: 1, total });
  const documents = new Map<string, string>();
  for (let start = 0; start < changed.documents.length; start += DOCUMENTS) {
    const batch = changed.documents.slice(start, start + DOCUMENTS);
    for (const [from, to] of await translateBatch(context, run, engine, batch)) documents.set(from, to);
    await noteProgress(db, translation, { done: 1 + documents.size, total });
  }
  const { words, untranslated, translated } = run.tally;
  if (untranslated > 0 && untranslated >= translated)
    throw new Refusal('The translation engine gave no usable translation of most texts.');
  const buffer = createObjectBuffer(objectReader(db));
  const root = await engine.run('translateContent', { ...content, documents, texts }, buffer);
  await saveContent({ db, engine }, services, buffer.pending);
  await saveResult({ ...context, engine }, translation, {
    author,
    source: revision.id,
    root,
    // A text that could not be translated is tried again: then nothing counts as translated before.
    context: untranslated === 0 ? settings.digest : null,
    error: untranslated === 0 ? null : leftOver(untranslated),
    words,
    pages: changed.pages,
    newPages: earlier ? changed.newPages : Math.max(0, changed.pages - translation.totalPages),
  });
}

const leftOver = (texts: number): string =>
  `${texts === 1 ? 'One text' : `${texts} texts`} could not be translated, and stayed in the language of the source.`;

/** The user on whose behalf it runs, who must still be allowed to. */
async function requireAuthor(db: Db, { runBy, source, result }: Row<Translation>): Promise<string> {
  const user =
    runBy === null
      ? undefined
      : await db.selectFrom('user').select(columnsOf(User)).where('id', '=', runBy).executeTakeFirst();
  const actor = user && {
    kind: 'user' as const,
    user,
    credential: { kind: 'token' as const, id: '', scope: 'write' as const, organization: null },
  };
  const levels = actor
    ? await Promise.all([source, result].map(async (id) => (await loadSpace(db, actor, id))?.level ?? null))
    : [];
  const [onSource = null, onResult = null] = levels;
  if (
    !user ||
    // guard: translation-run-source
    !includes(onSource, TRANSLATION_NEEDS.view.level) ||
    !includes(onResult, TRANSLATION_NEEDS.edit.level)
  )
    throw new Refusal(
      'Whoever last asked for a run may no longer read the source or edit the result; somebody who may has to run it.',
    );
  return user.id;
}

/** The content to translate. */
async function readSource(db: Db, { organization, source, result }: Row<Translation>) {
  const spaces = await db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .select(['space.id as space', 'space.organization_id as organization', 'deleted_at as deletedAt'])
    .select(['revision.id', 'revision.root'])
    .where('space.id', 'in', [source, result])
    .execute();
  for (const [id, what] of [
    [source, 'source'],
    [result, 'result'],
  ] as const) {
    const space = spaces.find((one) => one.space === id);
    if (!space) throw new GivenUp();
    if (space.deletedAt) throw new Refusal(`The space of the ${what} is deleted.`);
    if (space.organization !== organization)
      throw new Refusal(`The space of the ${what} has been transferred to another organization.`);
  }
  return spaces.find(({ space }) => space === source) as (typeof spaces)[number];
}

/** What was translated last, if it would be translated in the same way now. */
async function readEarlier(db: Db, translation: Row<Translation>, digest: string) {
  const { sourceRevision, translatedRevision, context } = translation;
  if (!sourceRevision || !translatedRevision || context !== digest) return undefined;
  const [source, translated] = await readRevisions(db, [sourceRevision, translatedRevision] as const);
  return { source: source.root, translation: translated.root };
}

/** Titles and descriptions. */
async function translatePlainTexts(run: Translating, texts: readonly string[]): Promise<Map<string, string>> {
  const translated = new Map<string, string>();
  for (let start = 0; start < texts.length; start += TEXTS) {
    const sources = texts.slice(start, start + TEXTS).flatMap((text) => plainTextSource(text) ?? []);
    for (const [text, translation] of await translateTexts(run, sources)) translated.set(text, translation);
  }
  return translated;
}

/** Translates documents, and saves them: nothing refers to them yet. */
async function translateBatch(
  { db, services }: Context,
  run: Translating,
  engine: Engine,
  documents: readonly string[],
): Promise<[document: string, translated: string][]> {
  const segmented = await engine.run('segmentDocuments', { documents }, objectReader(db));
  const translations = await translateTexts(
    run,
    segmented.flatMap(([, texts]) => texts),
  );
  const buffer = createObjectBuffer(objectReader(db));
  const translated = await engine.run('translateDocuments', { documents, translations }, buffer);
  await saveContent({ db, engine }, services, buffer.pending);
  return translated;
}

/** @throws GivenUp if the run is over */
async function requireCurrent(db: Db, { id, run }: Row<Translation>): Promise<void> {
  const current = await db
    .selectFrom('translation')
    .select('id')
    .where('id', '=', id)
    .where('run', '=', run)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (!current) throw new GivenUp();
}

/** @throws GivenUp if the run is over */
async function noteProgress(
  db: Db,
  { id, run }: Row<Translation>,
  progress: { done: number; total: number },
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('translation')
    .set(progress)
    .where('id', '=', id)
    .where('run', '=', run)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new GivenUp();
}
