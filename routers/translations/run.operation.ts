import { sql } from 'kysely';
import { Translation } from '../../schema/entities/translation.ts';
import { User } from '../../schema/entities/user.ts';
import type { Role } from '../../schema/enums.ts';
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
import type { Actor } from '../base/principal.ts';
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
import { type TranslationRun, translateTexts } from './translate-texts.operation.ts';

/** How many documents are segmented, translated and saved together: bounds the memory of a run. */
const DOCUMENTS_PER_BATCH = 50;

/** How many titles and descriptions are translated together. */
const TEXTS_PER_BATCH = 2000;

/** The run was cancelled or replaced by another one, or the translation was deleted. */
class RunCancelled extends Error {
  override readonly name = 'RunCancelled';
}

/** A failure that users must do something about; the message is a plain sentence. */
class RunFailure extends Error {
  override readonly name = 'RunFailure';
}

/**
 * Runs a translation, only once, however often it is called: only the last requested run, until it has ended. If the process
 * is killed, the job stays and runs again, and finds what was already translated in the translation memory.
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
  // Counts for the organization as a whole, apart from what its members do.
  await runFor({ organization, user: organization }, () =>
    runLoaded(context, translation).catch((error: unknown) => handleFailure(context, translation, error)),
  );
}

/** Ends a failed run with an error message for users. @throws errors for which the job is to be retried */
async function handleFailure(context: Context, translation: Row<Translation>, error: unknown): Promise<void> {
  if (error instanceof RunCancelled) return;
  if (outageOf(error) || (error instanceof DomainError && error.code === 'unavailable')) throw error;
  const isExpected = error instanceof EngineFailure || error instanceof RunFailure;
  if (!isExpected)
    context.services.logger.error(
      { err: error, translation: translation.id },
      'a translation could not be run',
    );
  await saveFailure(
    context,
    translation,
    isExpected ? error.message : 'The service failed to run the translation.',
  );
}

async function runLoaded(context: Context, translation: Row<Translation>): Promise<void> {
  const { db, services } = context;
  const { organization } = translation;
  const engine = services.background.for({ organization, user: organization });
  const author = await requireAuthor(db, translation);
  const revision = await readSource(db, translation);
  const settings = await readRunContext(db, translation, services.translationEngine);
  const previous = await readPrevious(db, translation, settings.digest);
  const content: ContentToTranslate = { source: revision.root, before: previous };
  const changed = await engine.run('findChangedContent', content, objectReader(db));
  const total = changed.documents.length + 1;
  const run: TranslationRun = {
    db,
    engine: services.translationEngine,
    translation,
    context: settings,
    requireCurrent: () => requireCurrent(db, translation),
    tally: { words: 0, untranslated: 0, translated: 0 },
  };
  const texts = await translatePlainTexts(run, changed.texts);
  await saveProgress(db, translation, { done: 1, total });
  const documents = new Map<string, string>();
  for (let start = 0; start < changed.documents.length; start += DOCUMENTS_PER_BATCH) {
    const batch = changed.documents.slice(start, start + DOCUMENTS_PER_BATCH);
    for (const [from, to] of await translateBatch(context, run, engine, batch)) documents.set(from, to);
    await saveProgress(db, translation, { done: 1 + documents.size, total });
  }
  const { words, untranslated, translated } = run.tally;
  if (untranslated > 0 && untranslated >= translated)
    throw new RunFailure('The translation engine gave no usable translation of most texts.');
  const buffer = createObjectBuffer(objectReader(db));
  const root = await engine.run('translateContent', { ...content, documents, texts }, buffer);
  await saveContent({ db, engine }, services, buffer.pending);
  // The run may have taken hours.
  // guard: translation-run-meanwhile
  await requirePermission(db, translation);
  await saveResult({ ...context, engine }, translation, {
    author,
    source: revision.id,
    root,
    // Null if texts are untranslated, so that the next run translates everything again.
    context: untranslated === 0 ? settings.digest : null,
    error: untranslated === 0 ? null : untranslatedMessage(untranslated),
    words,
    pages: changed.pages,
    newPages: previous ? changed.newPages : Math.max(0, changed.pages - translation.totalPages),
  });
}

const untranslatedMessage = (texts: number): string =>
  `${texts === 1 ? 'One text' : `${texts} texts`} could not be translated, and remain in the language of the source.`;

/** @throws RunFailure if the user no longer has the permissions, or one of the spaces is no longer available */
const requirePermission = async (db: Db, translation: Row<Translation>): Promise<void> =>
  void (await Promise.all([requireAuthor(db, translation), readSource(db, translation)]));

/** The user on whose behalf it runs. @throws RunFailure if they no longer have the permissions */
async function requireAuthor(db: Db, { runBy, source, result }: Row<Translation>): Promise<string> {
  const user =
    runBy === null
      ? undefined
      : await db
          .selectFrom('user')
          .select(columnsOf(User))
          .where('id', '=', runBy)
          // guard: translation-run-enabled
          .where('disabled_at', 'is', null)
          .executeTakeFirst();
  const actor = user && {
    kind: 'user' as const,
    user,
    credential: { kind: 'token' as const, id: '', scope: 'write' as const, organization: null },
  };
  const levelOn = (space: string) => (actor ? readLevel(db, actor, space) : null);
  const [onSource, onResult] = await Promise.all([levelOn(source), levelOn(result)]);
  if (
    !user ||
    // guard: translation-run-source
    !includes(onSource, TRANSLATION_NEEDS.view.level) ||
    !includes(onResult, TRANSLATION_NEEDS.edit.level)
  )
    throw new RunFailure(
      'The user who requested the run may no longer read the source or edit the result; another user must run it.',
    );
  return user.id;
}

/** The level of a user on a space; none if its organization admits only members who sign in by SSO. */
async function readLevel(db: Db, actor: Actor, space: string): Promise<Role | null> {
  try {
    return (await loadSpace(db, actor, space))?.level ?? null;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'forbidden') return null;
    throw error;
  }
}

/** The content to translate. @throws RunFailure if one of the spaces is not available */
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
    if (!space) throw new RunCancelled();
    if (space.deletedAt) throw new RunFailure(`The space of the ${what} is deleted.`);
    if (space.organization !== organization)
      throw new RunFailure(`The space of the ${what} has been transferred to another organization.`);
  }
  return spaces.find(({ space }) => space === source) as (typeof spaces)[number];
}

/** The last translation, if it was made with the same settings. */
async function readPrevious(db: Db, translation: Row<Translation>, digest: string) {
  const { sourceRevision, translatedRevision, context } = translation;
  if (!sourceRevision || !translatedRevision || context !== digest) return undefined;
  const [source, translated] = await readRevisions(db, [sourceRevision, translatedRevision] as const);
  return { source: source.root, translation: translated.root };
}

/** Translates titles and descriptions. */
async function translatePlainTexts(
  run: TranslationRun,
  texts: readonly string[],
): Promise<Map<string, string>> {
  const translated = new Map<string, string>();
  for (let start = 0; start < texts.length; start += TEXTS_PER_BATCH) {
    const sources = texts
      .slice(start, start + TEXTS_PER_BATCH)
      .flatMap((text) => plainTextSource(text) ?? []);
    for (const [text, translation] of await translateTexts(run, sources)) translated.set(text, translation);
  }
  return translated;
}

/** Translates documents, and saves the results, which nothing refers to yet. */
async function translateBatch(
  { db, services }: Context,
  run: TranslationRun,
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

/** @throws RunCancelled if the run is over */
async function requireCurrent(db: Db, { id, run }: Row<Translation>): Promise<void> {
  const current = await db
    .selectFrom('translation')
    .select('id')
    .where('id', '=', id)
    .where('run', '=', run)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (!current) throw new RunCancelled();
}

/** @throws RunCancelled if the run is over */
async function saveProgress(
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
  if (numUpdatedRows === 0n) throw new RunCancelled();
}
