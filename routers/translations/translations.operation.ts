import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Space } from '../../schema/entities/space.ts';
import { Translation } from '../../schema/entities/translation.ts';
import type { Language, Role } from '../../schema/enums.ts';
import type { Context, Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { EventHook } from '../base/hooks.ts';
import type { Jobs } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import { saveEmptyRoot } from '../branches/revisions.operation.ts';
import type { Document } from '../engine/document/document.ts';
import { DomainError } from '../engine/errors.ts';
import { normalizeShortDocument } from '../engine/tasks/short-document.ts';
import { recordEvent } from '../events/record.operation.ts';
import { createSpaceAfter, preserveLevel } from '../spaces/spaces.operation.ts';
import { countRows } from '../sql/count-rows.ts';
import { lockRow } from '../sql/lock-row.ts';

/** The maximum of translations of one organization. */
const MAX_TRANSLATIONS = 1000;

/** Instructions are part of each request to an engine. */
const INSTRUCTIONS_LIMIT = { max: 20_000, name: 'instructions', verb: 'are', path: 'instructions' };

/** The default instructions. */
const NO_INSTRUCTIONS: Document = { object: 'document', data: { schemaVersion: 1 }, nodes: [] };

/**
 * Normalizes instructions for storage.
 * @throws DomainError `invalid` if they are too long
 */
export const normalizeInstructions = (given: Document = NO_INSTRUCTIONS): Document =>
  normalizeShortDocument(given, INSTRUCTIONS_LIMIT);

interface NewTranslation {
  /** Locked, together with placement in its organization. */
  source: Space;
  sourceLanguage: Language;
  language: Language;
  instructions: Document;
  runOnChange: boolean | undefined;
  creator: { actor: Actor; level: Role };
}

/**
 * Creates a translation with the space for its result, and enqueues its first run.
 * @throws DomainError `invalid` for the language of the source, `conflict` if there are too many
 */
export async function createTranslation(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  { source, sourceLanguage, language, instructions, runOnChange = false, creator }: NewTranslation,
): Promise<Translation> {
  const { organization } = source;
  if (language === sourceLanguage)
    throw new DomainError('invalid', 'A translation needs two different languages.', [
      { path: 'language', message: 'must not be the language of the source' },
    ]);
  if ((await countRows(kyselyOf(em), 'translation', { organization_id: organization })) >= MAX_TRANSLATIONS)
    throw new DomainError('conflict', `An organization can have at most ${MAX_TRANSLATIONS} translations.`);
  const derived = { title: titleIn(language, source.title), language, root: await saveEmptyRoot(em) };
  const result = await createSpaceAfter(em, creator, source, derived);
  await em.flush();
  await preserveLevel(em, creator, result);
  const translation = em.create(Translation, {
    organization,
    source: source.id,
    sourceLanguage,
    result: result.id,
    language,
    instructions,
    runOnChange,
    runBy: creator.actor.user.id,
    conflicts: [],
  });
  await em.flush();
  recordEvent(em, { type: 'translation.created', ...aboutTranslation(translation) });
  await enqueueRun(kyselyOf(em), { jobs }, translation);
  return translation;
}

/** The fields of an event that name a translation. */
export const aboutTranslation = ({
  id,
  organization,
  source,
}: Pick<Translation, 'id' | 'organization' | 'source'>) => ({ organization, space: source, translation: id });

/** A title with the name of a language, in that language. */
function titleIn(language: Language, title: string): string {
  const name =
    new Intl.DisplayNames([language], { type: 'language', fallback: 'code' }).of(language) ?? language;
  return `${name}: ${title}`;
}

const enqueueRun = (db: Db, { jobs }: Pick<Services, 'jobs'>, { id, run, organization }: Translation) =>
  jobs.enqueue(db, 'run-translation', { data: { translation: id, run }, group: organization });

/**
 * Requests a run: none is added if one is pending; if one is running, another one follows it.
 * @throws DomainError `not-found` if the translation was deleted meanwhile
 */
export async function requestRun(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  id: string,
  user: string,
): Promise<void> {
  const translation = await lockRow(em, Translation, id, 'translation');
  translation.runBy = user;
  await requestLockedRun(em, services, translation);
}

async function requestLockedRun(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  translation: Translation,
): Promise<void> {
  if (translation.status === 'running') translation.runAgain = true;
  if (translation.status === 'completed') {
    em.assign(translation, { status: 'pending', run: translation.run + 1, runAgain: false });
    await em.flush();
    await enqueueRun(kyselyOf(em), services, translation);
  }
  await em.flush();
}

/**
 * Cancels a pending or running run, and the one that would follow it: whatever it still does has no effect.
 * @throws DomainError `not-found` if the translation was deleted meanwhile
 */
export async function cancelRun(em: SqlEntityManager, id: string): Promise<void> {
  const translation = await lockRow(em, Translation, id, 'translation');
  if (translation.status === 'completed') return;
  const run = translation.run + 1;
  const error = 'The run was cancelled.';
  em.assign(translation, { status: 'completed', run, runAgain: false, error });
  await em.flush();
  recordEvent(em, { type: 'translation.completed', ...aboutTranslation(translation), error });
}

/** Enqueues the run that follows the one that has just ended, if one was requested meanwhile. */
export async function enqueueFollowingRun(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  translation: Translation,
): Promise<void> {
  if (translation.runAgain) await requestLockedRun(em, services, translation);
}

/** Enqueues a job that requests runs for changed spaces with automatic translations. */
export const queueTranslations: EventHook = async (db, { jobs }, events) => {
  const changed = events.flatMap((event) => (event.type === 'space.content.updated' ? [event.space] : []));
  if (changed.length === 0) return;
  const sources = await db
    .selectFrom('translation')
    .select('source_id as space')
    .distinct()
    .where((eb) => eb('source_id', '=', eb.fn.any(eb.val(changed))))
    .where('run_on_change', '=', true)
    .execute();
  if (sources.length > 0)
    await jobs.enqueue(db, 'refresh-translations', { data: { spaces: sources.map(({ space }) => space) } });
};

/** Requests runs of the automatic translations of changed spaces. */
export async function refreshTranslations(
  { transaction, services }: Context,
  { spaces }: Jobs['refresh-translations'],
): Promise<void> {
  await transaction(async (em) => {
    const { rows } = await sql<object>`
      select * from translation where source_id = any(${spaces}) and run_on_change
      order by id for no key update`.execute(kyselyOf(em));
    for (const row of rows) await requestLockedRun(em, services, em.map(Translation, row));
  });
}
