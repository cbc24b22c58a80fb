import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Space } from '../../schema/entities/space.ts';
import { Translation } from '../../schema/entities/translation.ts';
import { newId } from '../../schema/ids.ts';
import type { TranslationConflict } from '../../schema/json/translation-conflict.ts';
import type { Row } from '../../schema/rows.ts';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Advance } from '../branches/advance.operation.ts';
import {
  compareAndSwap,
  type SaveContext,
  type SwapContext,
} from '../branches/compare-and-swap.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { createRevision } from '../branches/revisions.operation.ts';
import { readRevisions } from '../branches/roots.query.ts';
import { notFound } from '../engine/errors.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import { putEmptyRoot } from '../engine/store/edit.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { recordEvent } from '../events/record.operation.ts';
import { aboutTranslation, enqueueFollowingRun } from './translations.operation.ts';

/** The maximum of reported conflicts. */
const MAX_CONFLICTS = 100;

/** The result of a run. */
export interface RunResult {
  /** The id of the user on whose behalf it ran. */
  author: string;
  /** The revision that was translated, and the hash of the root of its translation; its objects are saved. */
  source: string;
  root: string;
  context: string | null;
  error: string | null;
  words: number;
  /** The pages that have changed since the last run, or all pages; and those that are new since the last run. */
  pages: number;
  newPages: number;
}

type State = { revision: string; translation: Pick<Translation, 'run' | 'status' | 'translatedRevision'> };

/** The rows that saving a result changes; without `translation`, the run is over. */
interface Locked {
  space: Space;
  translation: Translation | undefined;
}

/**
 * Merges a translation into the space of the result, with the last translation as base: edits by users since then are kept,
 * and win conflicts. Ends the run, and enqueues the one that follows it. A run that is already over changes nothing.
 */
export async function saveResult(
  ctx: SwapContext,
  translation: Row<Translation>,
  result: RunResult,
): Promise<void> {
  const { id, run, result: space } = translation;
  const { author } = result;
  await compareAndSwap<State, Locked, void>(ctx, {
    branch: space,
    read: (db) => readState(db, translation),
    preconditions: ({ revision, translation: { translatedRevision } }) => [revision, translatedRevision],
    async compute({ db, engine }, state) {
      const buffer = createObjectBuffer(objectReader(db));
      const empty = putEmptyRoot(buffer);
      const last = state.translation.translatedRevision;
      const [ours] = await readRevisions(db, [state.revision] as const);
      const base = last ? (await readRevisions(db, [last] as const))[0].root : empty;
      const sides = { base, ours: ours.root, theirs: result.root };
      const { root, conflicts } = await engine.run('merge', sides, buffer);
      const translated = { id: newId(), root: result.root };
      const merged = root === result.root ? translated.id : newId();
      const advance: Advance | undefined =
        root === ours.root
          ? undefined
          : {
              branch: { kind: 'space', id: space },
              before: ours.root,
              revisions: [
                merged === translated.id
                  ? { ...translated, type: 'computed' }
                  : { id: merged, root, type: 'merge', merged: translated.id },
              ],
              objects: buffer.pending,
              author,
            };
      const save = async (tx: SaveContext, locked: Locked) => {
        const current = locked.translation;
        if (!current) return;
        const isNewTranslation = result.root !== base || !last;
        if (isNewTranslation && !(advance && merged === translated.id)) {
          createRevision(tx.em, {
            ...translated,
            space,
            type: 'computed',
            parents: last ? [last] : [],
            author,
          });
          await tx.em.flush();
        }
        if (advance) await tx.advance(locked.space, advance);
        if (isNewTranslation) {
          current.translatedRevision = translated.id;
          current.conflicts = conflicts.slice(0, MAX_CONFLICTS).map(placeOf);
        }
        if (advance || !current.resultRevision) current.resultRevision = locked.space.revision;
        endRun(current, result);
        await tx.em.flush();
        recordEvent(tx.em, {
          type: 'translation.completed',
          ...aboutTranslation(current),
          ...(result.error !== null && { error: result.error }),
        });
        await enqueueFollowingRun(tx.em, ctx.services, current);
      };
      return { advances: advance ? [advance] : [], save };
    },
    async lock(em) {
      const locked = await lockSpace(em, space);
      return { space: locked, translation: await lockRun(em, { id, run }) };
    },
  });
}

/** Locks a translation while this run is in progress; undefined if the run is over. */
async function lockRun(
  em: SqlEntityManager,
  { id, run }: Pick<Translation, 'id' | 'run'>,
): Promise<Translation | undefined> {
  // Reads the row as it is once nobody else has it locked.
  const { rows } = await sql<object>`
    select * from translation where id = ${id} and run = ${run} and status = 'running' for no key update`.execute(
    kyselyOf(em),
  );
  return rows[0] && em.map(Translation, rows[0]);
}

async function readState(db: Db, { id, result }: Row<Translation>): Promise<State> {
  const state = await db
    .selectFrom('space')
    .innerJoin('translation', 'translation.result_id', 'space.id')
    .select(['space.revision_id as revision', 'translation.run', 'translation.status'])
    .select('translation.translated_revision_id as translatedRevision')
    .where('space.id', '=', result)
    .where('translation.id', '=', id)
    .executeTakeFirst();
  if (!state) throw notFound('translation');
  const { revision, ...translation } = state;
  return { revision, translation };
}

const placeOf = ({ kind, page, file, reusableContent, block, field }: Conflict): TranslationConflict => ({
  kind,
  ...(page !== undefined && { page }),
  ...(file !== undefined && { file }),
  ...(reusableContent !== undefined && { reusableContent }),
  ...(block !== undefined && { block }),
  ...(field !== undefined && { field }),
});

/** Updates a translation at the end of a run, with its result or its error. */
function endRun(
  translation: Translation,
  result: Omit<RunResult, 'author' | 'root'> | { error: string },
): void {
  const now = Date.now();
  const duration = Math.round((now - new Date(translation.startedAt ?? now).getTime()) / 1000);
  translation.status = 'completed';
  translation.error = result.error;
  translation.runs += 1;
  translation.latestRunDuration = duration;
  translation.totalDuration += duration;
  const counts = 'source' in result ? result : { words: 0, pages: 0, newPages: 0 };
  translation.latestWords = counts.words;
  translation.latestPages = counts.pages;
  translation.totalWords += counts.words;
  translation.totalPages += counts.newPages;
  if (!('source' in result)) return;
  translation.sourceRevision = result.source;
  translation.context = result.context;
}

/** Ends a run that failed: the last result is kept. */
export async function saveFailure(
  { transaction, services }: Pick<Context, 'transaction' | 'services'>,
  { id, run }: Row<Translation>,
  error: string,
): Promise<void> {
  await transaction(async (em) => {
    const translation = await lockRun(em, { id, run });
    if (!translation) return;
    endRun(translation, { error });
    await em.flush();
    recordEvent(em, { type: 'translation.completed', ...aboutTranslation(translation), error });
    await enqueueFollowingRun(em, services, translation);
  });
}
