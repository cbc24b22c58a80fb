import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import { advance, type Work } from '../branches/advance.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader, saveObjects } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { type Context, type Db, kyselyOf } from '../context.ts';
import { CONFIG_PATH } from '../engine/import/config.ts';
import { planMutations } from '../engine/import/mutations.ts';
import { basename } from '../engine/import/paths.ts';
import { type PlannedPage, planImport } from '../engine/import/plan.ts';
import { EMPTY_PREVIOUS, idsFrom, type Previous, readPrevious } from '../engine/import/previous.ts';
import { digestOfReading } from '../engine/import/reading.ts';
import type { PlannedRedirect } from '../engine/import/redirects.ts';
import { type ImportNote, sortNotes } from '../engine/import/report.ts';
import { scanSource } from '../engine/import/scan.ts';
import type { DocsSource } from '../engine/import/source.ts';
import { readChanges } from '../engine/store/changes.ts';
import { editSnapshot, type Mutation } from '../engine/store/edit.ts';
import { createObjectBuffer, type NewObject } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { putText } from '../engine/store/texts.ts';
import { localEngine } from '../engine/tasks/engine.ts';
import { noteConditions } from './condition-notes.query.ts';
import { noteConflicts } from './conflict-notes.query.ts';
import { type ImportBase, readImportBase } from './import-base.query.ts';
import { Overtaken, openImportBranch } from './import-branch.operation.ts';
import { type ImportOutcomeObject, presentImportChanges } from './imports.api.ts';
import { mergeIntoChangeRequest, mergeIntoSpace } from './merge-import.operation.ts';
import { type ImportProgress, saveDocuments, saveFiles } from './save-content.operation.ts';

/** How often an import is tried while others of the same source keep finishing first. */
const ATTEMPTS = 3;

/** Changes that are listed. */
const MAX_CHANGES = 1000;

/** In code points, as of any change request. */
const MAX_SUBJECT = 100;

/** See `ImportOutcomeObject`. */
export type ImportOutcome = z.infer<typeof ImportOutcomeObject>;

/** The redirects of a source that was imported into a space. */
interface ImportedRedirects {
  space: string;
  redirects: readonly PlannedRedirect[];
}

interface ImportRequest {
  /** Id of the space, or a function that creates a new empty one in the same transaction as its content. */
  space: string | ((em: SqlEntityManager) => Promise<Space>);
  /** Id of the author of the revisions. */
  author: string;
  source: DocsSource;
  /** Puts everything into a change request, as for a locked space. */
  changeRequest?: boolean | undefined;
  /** Takes the redirects of the source, in the transaction of the merge; they are reported if nothing does. */
  onRedirects?: ((em: SqlEntityManager, redirects: ImportedRedirects) => Promise<ImportNote[]>) | undefined;
  /** Tells what would happen, and writes nothing. */
  dryRun?: boolean | undefined;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/**
 * Imports a documentation repository: its content becomes the next revision of its own branch, where pages and files keep
 * their ids, and that is merged into the space. Documents and files are saved as they are read, not yet visible; one
 * transaction at the end does the rest.
 * @throws ImportError when the source cannot be imported, DomainError `conflict` when others keep importing the same
 *   source, `not-found` when the space was deleted.
 */
export async function importSource(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await importOnce(context, request);
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function importOnce(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  const { db } = context;
  const { source, onProgress, dryRun = false } = request;
  onProgress?.({ step: 'scan', done: 0, total: 0 });
  const base: ImportBase =
    typeof request.space === 'string' ? await readImportBase(db, request.space, source.location) : {};
  const previous: Previous = base.revision
    ? await readPrevious(await openSnapshot(objectReader(db), base.revision.root))
    : EMPTY_PREVIOUS;
  const scan = await scanSource(source);
  const plan = planImport(scan, await idsFrom(previous, scan, newId, objectReader(db)));

  const reading = digestOfReading(plan);
  const isReadAlike = reading === base.reading;
  const saving = { plan, previous, isReadAlike, dryRun, onProgress };
  const { documents, unsaved, created, notes } = await saveDocuments(context, saving);
  const files = await saveFiles(context, saving);
  const texts = createObjectBuffer(objectReader(db));
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
  onProgress?.({ step: 'save', done: 1, total: 1 });
  return {
    ...merged,
    pages: pages.length,
    files: files.length,
    reusableContents: reusableContents.length,
    newObjects: created + merged.newObjects,
    report: sortNotes([...plan.report, ...notes, ...merged.report]),
  };
}

interface NewContent {
  base: ImportBase;
  reading: string;
  mutations: readonly Mutation[];
  /** What has to be saved with it, as it has not been yet. */
  objects: ReadonlyMap<string, NewObject>;
  redirects: readonly PlannedRedirect[];
  pages: readonly PlannedPage[];
}

type MergedContent = Omit<ImportOutcome, 'pages' | 'files' | 'reusableContents'>;

/** Carries what a dry run would have done out of the transaction that is rolled back. */
class RolledBack extends Error {
  readonly outcome: MergedContent;

  constructor(outcome: MergedContent) {
    super('A dry run is rolled back.');
    this.outcome = outcome;
  }
}

/** Makes new content the next revision of the branch of its source, and merges it. */
async function mergeContent(
  { transaction, services }: Context,
  request: ImportRequest,
  { base, reading, mutations, objects, redirects, pages }: NewContent,
): Promise<MergedContent> {
  const { author, source } = request;
  const merging = transaction(async (em) => {
    const db = kyselyOf(em);
    const space =
      typeof request.space === 'string' ? await lockSpace(em, request.space) : await request.space(em);
    const { branch, revision } = await openImportBranch(em, space, source.location, base, author);
    branch.reading = reading;
    const work: Work = { em, engine: localEngine, services };
    const saved = await saveObjects(db, objects);
    const buffer = createObjectBuffer(objectReader(db));
    const root = await editSnapshot(buffer, revision.root, mutations);
    const next = { root, objects: buffer.pending, type: 'edits', author } as const;
    const advanced = root === revision.root ? undefined : await advance(work, branch, next);
    const newObjects = saved + (advanced?.created ?? 0);

    const before = { space: space.revision, root: revision.root };
    const imported = { space, branch, before: revision.id, subject: subjectOf(source), author };
    const isProposed = request.changeRequest || space.editMode === 'locked';
    const changeRequest = await (isProposed ? mergeIntoChangeRequest : mergeIntoSpace)(work, imported);
    const described = await describe(db, { space, changeRequest, root }, before);
    const notes = [
      ...(await takeRedirects(em, request, { space: space.id, redirects })),
      ...(await noteConditions(db, space.id, pages)),
    ];
    const outcome = { newObjects, ...described, report: [...described.report, ...notes] };
    if (request.dryRun) throw new RolledBack(outcome);
    return outcome;
  });
  return merging.catch((error: unknown) => {
    if (error instanceof RolledBack) return error.outcome;
    throw error;
  });
}

async function takeRedirects(
  em: SqlEntityManager,
  { onRedirects }: ImportRequest,
  imported: ImportedRedirects,
): Promise<ImportNote[]> {
  if (onRedirects) return onRedirects(em, imported);
  if (imported.redirects.length === 0) return [];
  const message = 'The redirects were not imported: they belong to a site, which has to be named.';
  return [{ file: CONFIG_PATH, severity: 'info', message }];
}

/** What an import changed in the space and what it proposes, `before` and now; `root` is the imported content. */
async function describe(
  db: Db,
  { space, changeRequest, root }: { space: Space; changeRequest: ChangeRequest | undefined; root: string },
  before: { space: string; root: string },
): Promise<Omit<MergedContent, 'newObjects'>> {
  const ids = [before.space, space.revision, changeRequest?.revision ?? space.revision] as const;
  const [was, is, proposed] = await readRoots(db, ids);
  const reader = objectReader(db);
  const changesOf = async (from: string, to: string) =>
    presentImportChanges(await readChanges(reader, { before: from, after: to }, MAX_CHANGES));
  const changed = { space: space.id, revision: space.revision, ...(await changesOf(was, is)) };
  if (!changeRequest) return { ...changed, report: [] };
  const { id, number, subject } = changeRequest;
  const { conflicts, notes } = await noteConflicts(db, changeRequest, [before.root, root]);
  const difference = await changesOf(is, proposed);
  return { ...changed, changeRequest: { id, number, subject, conflicts, ...difference }, report: notes };
}

const subjectOf = ({ location }: DocsSource): string =>
  [...`Import of ${basename(location)}`].slice(0, MAX_SUBJECT).join('');
