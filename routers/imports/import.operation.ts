import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { measure } from '../base/measure.ts';
import type { ImportProgress } from '../base/ports.ts';
import {
  compareAndSwap,
  type Plan,
  type SaveContext,
  type SwapOperation,
} from '../branches/compare-and-swap.operation.ts';
import { countNewObjects, objectReader } from '../branches/objects.operation.ts';
import { CONFIG_PATH } from '../engine/import/config.ts';
import { planMutations } from '../engine/import/mutations.ts';
import { parseContextDigest } from '../engine/import/parse-context.ts';
import { basename } from '../engine/import/paths.ts';
import { type PlannedPage, planImport } from '../engine/import/plan.ts';
import {
  createImportIds,
  earlierFilesOf,
  NO_PREVIOUS_IMPORT,
  type PreviousImport,
  readPreviousImport,
} from '../engine/import/previous-import.ts';
import type { PlannedRedirect } from '../engine/import/redirects.ts';
import { type ImportNote, sortNotes } from '../engine/import/report.ts';
import { scanSource } from '../engine/import/scan.ts';
import { type DocsSource, IMPORT_LIMITS } from '../engine/import/source.ts';
import { readChanges } from '../engine/store/changes.ts';
import type { Mutation } from '../engine/store/edit.ts';
import { createObjectBuffer, type NewObject, type ObjectReader } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { putText } from '../engine/store/texts.ts';
import { localEngine } from '../engine/tasks/engine.ts';
import { firstCharacters } from '../engine/text.ts';
import { readAnchorNotes } from './anchor-notes.query.ts';
import { readConditionNotes } from './condition-notes.query.ts';
import { readConflictNotes } from './conflict-notes.ts';
import { readGeneratedTargets } from './generated-targets.operation.ts';
import { type ImportBase, type RevisionRoot, readImportBase } from './import-base.query.ts';
import {
  ConcurrentImportError,
  factsOf,
  type ImportState,
  type LockedImport,
  lockImport,
  readImportState,
} from './import-branch.operation.ts';
import { type ImportOutcomeObject, presentImportChanges } from './imports.api.ts';
import { type MergedImport, mergeImport } from './merge-import.ts';
import { saveDocuments, saveFiles } from './save-content.operation.ts';
import { advancesOf, saveImport } from './save-import.operation.ts';
import { readSpecNotes } from './spec-notes.query.ts';

/** How often an import is tried if others of the same source keep finishing first. */
const MAX_ATTEMPTS = 3;

/** How many changes are listed. */
const MAX_CHANGES = 1000;

/** In code points, as for any change request. */
const MAX_SUBJECT = 100;

/** See `ImportOutcomeObject`. */
export type ImportOutcome = z.infer<typeof ImportOutcomeObject>;

/** The redirects of a source that was imported into a space. */
interface ImportedRedirects {
  space: string;
  redirects: readonly PlannedRedirect[];
}

interface ImportRequest {
  /**
   * The id of the space, or an organization with a function that creates an empty one in the transaction that saves its
   * content; `ids` are those of the space and of its first revision.
   */
  space:
    | string
    | {
        organization: string;
        create(em: SqlEntityManager, ids: { id: string; revision: string }): Promise<Space>;
      };
  /** The id of the author of the revisions. */
  author: string;
  source: DocsSource;
  /** Puts everything into a change request, as for a locked space. */
  changeRequest?: boolean | undefined;
  /** Locks what `onRedirects` changes, which comes before the space in the order of locks. */
  lockFirst?: ((em: SqlEntityManager) => Promise<unknown>) | undefined;
  /** Saves the redirects of the source, in the transaction of the merge; without it, they are only reported. */
  onRedirects?: ((em: SqlEntityManager, redirects: ImportedRedirects) => Promise<ImportNote[]>) | undefined;
  /** Whether to return what would happen, and write nothing. */
  dryRun?: boolean | undefined;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/**
 * Imports a documentation repository: its content becomes the next revision of a branch of its own, where pages and files keep
 * their ids, and the branch is merged into the space. Documents and files are saved as they are read, and become visible in
 * one short transaction at the end.
 * @throws ImportError when the source cannot be imported, DomainError `conflict` when others keep importing the same
 *   source, `not-found` when the space was deleted.
 */
export const importSource = (context: Context, request: ImportRequest): Promise<ImportOutcome> =>
  measure(
    context.services.measurements,
    () => importWithRetries(context, request),
    (outcome) => ({ work: 'import', outcome: outcome ? 'imported' : 'failed' }),
  );

async function importWithRetries(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await importOnce(context, request);
    } catch (error) {
      if (!(error instanceof ConcurrentImportError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function importOnce(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  const { db } = context;
  const { source, onProgress, dryRun = false } = request;
  onProgress?.({ step: 'scan', done: 0, total: 0 });
  const base: ImportBase =
    typeof request.space === 'string' ? await readImportBase(db, request.space, source.location) : {};
  const reader = objectReader(db);
  const previous: PreviousImport = base.revision
    ? await readPreviousImport(await openSnapshot(reader, base.revision.root))
    : NO_PREVIOUS_IMPORT;
  const scan = await scanSource(source, IMPORT_LIMITS, earlierFilesOf(previous, reader));
  const ids = createImportIds(previous, scan, newId);
  const first = planImport(scan, ids);
  const generated = await readGeneratedTargets(context, {
    plan: first,
    previous,
    before: base.revision?.root,
    space: request.space,
    dryRun,
  });
  const plan = generated ? planImport(scan, ids, generated) : first;

  const reading = parseContextDigest(plan);
  const canReuseDocuments = reading === base.reading;
  const saving = { plan, previous, canReuseDocuments, dryRun, onProgress };
  const { documents, unsaved, created, notes, anchors, specs } = await saveDocuments(context, saving);
  const anchorNotes = await readAnchorNotes(db, plan, { documents, anchors });
  const files = await saveFiles(context, saving);
  const texts = createObjectBuffer(reader);
  const repository = scan.repository.map(({ role, path, ...text }) => ({
    role,
    path,
    text: putText(texts, text),
  }));

  onProgress?.({ step: 'save', done: 0, total: 1 });
  const { pages, reusableContents, variables } = plan;
  const now = new Date().toISOString();
  const wanted = { pages, documents, files, reusableContents, variables, repository, now };
  const mutations = planMutations(previous, wanted);
  const objects = new Map([...unsaved, ...texts.pending]);
  const { redirects } = plan;
  const content = { base, reading, mutations, objects, redirects, pages };
  const merged = await mergeContent(context, request, content);
  const specNotes = await readSpecNotes(db, merged.space, plan, { documents, specs });
  onProgress?.({ step: 'save', done: 1, total: 1 });
  return {
    ...merged,
    pages: pages.length,
    files: files.length,
    reusableContents: reusableContents.length,
    newObjects: created + merged.newObjects,
    report: sortNotes([...plan.report, ...notes, ...anchorNotes, ...specNotes, ...merged.report]),
  };
}

interface NewContent {
  base: ImportBase;
  reading: string;
  mutations: readonly Mutation[];
  /** Objects that are not saved yet. */
  objects: ReadonlyMap<string, NewObject>;
  redirects: readonly PlannedRedirect[];
  pages: readonly PlannedPage[];
}

type MergedContent = Omit<ImportOutcome, 'pages' | 'files' | 'reusableContents'>;

/** Makes new content the next revision of the branch of its source, and merges it into the space. */
async function mergeContent(
  context: Context,
  request: ImportRequest,
  content: NewContent,
): Promise<MergedContent> {
  const { author, source, dryRun } = request;
  const { base, reading, mutations, objects } = content;
  const target: ImportTarget = targetOf(request, base);
  const subject = subjectOf(source);
  const saved = await compareAndSwap(
    { ...context, engine: localEngine },
    {
      ...target,
      preconditions: factsOf,
      async compute(work, state): Promise<Plan<ImportState, LockedImport, SavedImport>> {
        const isProposed = request.changeRequest || state.space.editMode === 'locked';
        const buffer = createObjectBuffer(objectReader(work.db));
        buffer.adopt(objects);
        const incoming = { base: base.revision, mutations, isProposed };
        const merged = await mergeImport(work, buffer, state, incoming);
        if (dryRun) {
          const number = state.changeRequest?.number ?? state.space.changeRequests + 1;
          const newObjects = await countNewObjects(work.db, buffer.pending);
          const requestRef = { number, subject: state.changeRequest?.subject ?? subject };
          const redirects = await previewRedirects(context, request, state.space.id, content);
          return {
            result: { space: state.space.id, merged, buffer, newObjects, requestRef, notes: redirects },
          };
        }
        const advances = advancesOf(state.space.id, merged, buffer, author);
        const save = async (tx: SaveContext, locked: LockedImport): Promise<SavedImport> => {
          const about = { source: source.location, reading, subject, author };
          const requestRef = await saveImport(tx, locked, { merged, advances, ...about });
          const space = locked.space.id;
          const notes = await applyRedirects(tx.em, request, { space, redirects: content.redirects });
          return { space, merged, buffer, newObjects: tx.created, requestRef, notes };
        };
        return { advances: Object.values(advances), save };
      },
    },
  );
  const { space, newObjects, notes } = saved;
  const described = await describeImport(saved);
  const report = [
    ...described.report,
    ...notes,
    ...(await readConditionNotes(context.db, space, content.pages)),
  ];
  return { newObjects, ...described, report };
}

/** An import that has been saved, or would have been. */
interface SavedImport {
  space: string;
  merged: MergedImport;
  /** Reads its new objects, too. */
  buffer: ObjectReader;
  newObjects: number;
  /** The change request with a part of it, if there is one. */
  requestRef: { number: number; subject: string } | undefined;
  notes: readonly ImportNote[];
}

type ImportTarget = Pick<SwapOperation<ImportState, LockedImport, never>, 'branch' | 'read' | 'lock'>;

/** The space that an import goes into, which may be created with it. */
function targetOf({ space, source: { location }, lockFirst }: ImportRequest, base: ImportBase): ImportTarget {
  if (typeof space === 'string')
    return {
      branch: space,
      read: (db: Db) => readImportState(db, space, location, base),
      async lock(em: SqlEntityManager) {
        await lockFirst?.(em);
        return lockImport(em, space, location);
      },
    };
  const ids = { id: newId(), revision: newId() };
  const created: ImportState = { space: { ...ids, editMode: 'live', changeRequests: 0 }, recorded: [] };
  return {
    read: async () => created,
    lock: async (em: SqlEntityManager): Promise<LockedImport> => ({
      space: await space.create(em, ids),
      branch: null,
      changeRequest: undefined,
    }),
  };
}

async function applyRedirects(
  em: SqlEntityManager,
  { onRedirects }: ImportRequest,
  imported: ImportedRedirects,
): Promise<ImportNote[]> {
  if (onRedirects) return onRedirects(em, imported);
  return imported.redirects.length > 0 ? [redirectsNote()] : [];
}

/** Thrown by a dry run to roll back its transaction; carries the result. */
class RolledBack extends Error {
  readonly notes: ImportNote[];

  constructor(notes: ImportNote[]) {
    super('A dry run is rolled back.');
    this.notes = notes;
  }
}

/** The notes on redirects that an import would have: saves the redirects, and rolls that back. */
async function previewRedirects(
  { transaction }: Context,
  { onRedirects }: ImportRequest,
  space: string,
  { redirects }: NewContent,
): Promise<ImportNote[]> {
  if (!onRedirects) return redirects.length > 0 ? [redirectsNote()] : [];
  try {
    return await transaction(async (em) => {
      throw new RolledBack(await onRedirects(em, { space, redirects }));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.notes;
    throw error;
  }
}

const redirectsNote = (): ImportNote => ({
  file: CONFIG_PATH,
  severity: 'info',
  message: 'The redirects were not imported: they belong to a site, and no site was named.',
});

/** Presents what an import changed in the space, and what it proposes in a change request. */
async function describeImport({
  space,
  merged,
  buffer,
  requestRef,
}: SavedImport): Promise<Omit<MergedContent, 'newObjects'>> {
  const { proposal, before, imported } = merged;
  const { before: was, after: is } = merged.space;
  const changesOf = async (from: RevisionRoot, to: RevisionRoot) =>
    presentImportChanges(await readChanges(buffer, { before: from.root, after: to.root }, MAX_CHANGES));
  const changed = { space, revision: is.id, ...(await changesOf(was, is)) };
  if (!proposal || !requestRef) return { ...changed, report: [] };
  const proposed = proposal.revisions.at(-1) ?? proposal.before;
  const { conflicts } = proposal;
  const report = await readConflictNotes(buffer, { conflicts, number: requestRef.number }, [
    before.root,
    imported.root,
  ]);
  const difference = await changesOf(is, proposed);
  const changeRequest = { id: proposal.id, ...requestRef, conflicts: conflicts.length, ...difference };
  return { ...changed, changeRequest, report };
}

const subjectOf = ({ location }: DocsSource): string =>
  firstCharacters(`Import of ${basename(location)}`, MAX_SUBJECT);
