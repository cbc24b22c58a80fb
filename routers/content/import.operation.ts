import { setImmediate } from 'node:timers/promises';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Space } from '../../schema/entities/space.ts';
import type { EditMode } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { advance } from '../branches/advance.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader, saveObjects } from '../branches/objects.operation.ts';
import { type Context, kyselyOf } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import { planMutations } from '../engine/import/mutations.ts';
import { type ImportPlan, type PlannedFile, type PlannedPage, planImport } from '../engine/import/plan.ts';
import { EMPTY_PREVIOUS, hasSameTargets, idsFrom, readPrevious } from '../engine/import/previous.ts';
import { readContent, readFile } from '../engine/import/read.ts';
import { type ImportNote, sortNotes } from '../engine/import/report.ts';
import { type Scan, scanSource } from '../engine/import/scan.ts';
import type { DocsSource } from '../engine/import/source.ts';
import { carryKeys } from '../engine/markdown/keys.ts';
import { getDocument, putDocument } from '../engine/store/documents.ts';
import { editSnapshot, type Mutation, putEmptyRoot } from '../engine/store/edit.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import type { FileRecord, RepositoryFile } from '../engine/store/records.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { putText } from '../engine/store/texts.ts';
import { localEngine } from '../engine/tasks/engine.ts';

/** Documents parsed between two writes: bounds the memory of an import. */
const BATCH = 200;

export interface ImportProgress {
  step: 'scan' | 'pages' | 'files' | 'save';
  done: number;
  total: number;
}

export interface ImportOutcome {
  /** Id of the space, and of its new revision. */
  space: string;
  revision: string;
  pages: number;
  files: number;
  reusableContents: number;
  /** Objects that the content store did not hold before. */
  newObjects: number;
  /** Problems and omissions. Files unchanged since the last import are not reported again. */
  report: ImportNote[];
}

interface ImportRequest {
  /** Id of the space, or a function that creates a new empty one in the same transaction as its content. */
  space: string | ((em: SqlEntityManager) => Promise<Space>);
  /** Id of the author of the revision. */
  author: string;
  source: DocsSource;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/**
 * Replaces the content of a space with that of a documentation repository, as one revision. Pages and files of the last
 * import keep their ids, matched by path, or by content if renamed; unchanged content is shared. Documents and files are
 * saved as they are read, not yet visible; one transaction at the end creates the revision.
 * @throws ImportError when the source cannot be imported, DomainError `conflict` when the space is locked or changed
 *   meanwhile.
 */
export async function importSource(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  const { source, onProgress } = request;
  onProgress?.({ step: 'scan', done: 0, total: 0 });
  const before =
    typeof request.space === 'string' ? await readActiveRevision(context, request.space) : undefined;
  const scan = await scanSource(source);
  const previous = before
    ? await readPrevious(await openSnapshot(objectReader(context.db), before.root))
    : EMPTY_PREVIOUS;
  const plan = planImport(scan, idsFrom(previous, scan, newId));

  const saver = documentSaver(context, plan);
  const sameTargets = hasSameTargets(plan, previous);
  const documents = new Map<string, string>();
  const texts = new Map<string, string>();
  const bodies = [...plan.pages.filter(({ type }) => type === 'document'), ...plan.reusableContents];
  for (const [done, body] of bodies.entries()) {
    const known = previous.pages.get(body.id) ?? previous.reusableContents.get(body.id);
    // Neither the file nor its page has changed since the last import.
    const unchanged =
      sameTargets &&
      known?.git?.oid === body.git?.oid &&
      known?.document === known?.git?.document &&
      (known?.git === undefined || known.git.text !== undefined);
    const { document, text } =
      unchanged && known?.document !== undefined
        ? { document: known.document, text: known.git?.text }
        : await saver.save(body, known?.document);
    documents.set(body.id, document);
    if (text !== undefined) texts.set(body.id, text);
    onProgress?.({ step: 'pages', done: done + 1, total: bodies.length });
  }
  const repository = saver.saveRepository(scan);
  await saver.flush();

  const files: FileRecord[] = [];
  for (const file of plan.files) {
    files.push(await saveFile(context, plan, file));
    onProgress?.({ step: 'files', done: files.length, total: plan.files.length });
  }

  onProgress?.({ step: 'save', done: 0, total: 1 });
  const reusableContents = plan.reusableContents.map((content) => {
    const document = documents.get(content.id) as string;
    const text = texts.get(content.id) as string;
    return { ...content, document, git: { ...content.git, document, text } };
  });
  const { pages, variables } = plan;
  const now = new Date().toISOString();
  const mutations = planMutations(previous, {
    pages,
    documents,
    texts,
    files,
    reusableContents,
    variables,
    repository,
    now,
  });
  const { space, revision, created } = await activate(context, request, before, mutations);
  onProgress?.({ step: 'save', done: 1, total: 1 });
  return {
    space,
    revision,
    pages: pages.length,
    files: files.length,
    reusableContents: reusableContents.length,
    newObjects: saver.created() + created,
    report: sortNotes([...plan.report, ...saver.notes]),
  };
}

async function readActiveRevision({ db }: Context, space: string): Promise<{ id: string; root: string }> {
  const row = await db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .select(['revision.id', 'revision.root', 'space.edit_mode'])
    .where('space.id', '=', space)
    .executeTakeFirstOrThrow();
  requireUnlocked(row.edit_mode);
  return row;
}

function requireUnlocked(editMode: EditMode): void {
  if (editMode === 'locked') throw new DomainError('conflict', 'The space is locked against direct edits.');
}

/** Parses documents and saves them in batches, each while the next is parsed. `notes` collects problems. */
function documentSaver({ db }: Context, plan: ImportPlan) {
  const reader = objectReader(db);
  const notes: ImportNote[] = [];
  let buffer = createObjectBuffer(reader);
  let created = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    await writing;
    const { pending } = buffer;
    buffer = createObjectBuffer(reader);
    writing = saveObjects(db, pending).then((count) => {
      created += count;
    });
    // The failure is handled where the promise is awaited; until then it must not count as unhandled.
    writing.catch(() => undefined);
  };
  return {
    notes,
    created: () => created,
    async flush() {
      await write();
      await writing;
    },
    saveRepository: ({ repository }: Scan): RepositoryFile[] =>
      repository.map(({ role, path, ...text }) => ({ role, path, text: putText(buffer, text) })),
    /** The hash of a body's document, which keeps the keys of existing blocks, and that of the text of its file. */
    async save(
      body: Pick<PlannedPage, 'git'>,
      previous: string | undefined,
    ): Promise<{ document: string; text: string | undefined }> {
      if (buffer.pending.size >= BATCH) await write();
      // Yields, so that the last batch can be written while this one is parsed.
      await setImmediate();
      const content = await readContent(plan, body);
      for (const note of content.notes) notes.push(note);
      const document = previous
        ? carryKeys(await getDocument(reader, previous), content.document)
        : content.document;
      return {
        document: putDocument(buffer, document),
        text: content.text === undefined ? undefined : putText(buffer, { text: content.text }),
      };
    },
  };
}

async function saveFile({ services }: Context, plan: ImportPlan, file: PlannedFile): Promise<FileRecord> {
  const { bytes, dimensions, sha256, oid } = await readFile(plan, file);
  await services.storage.put(sha256, bytes);
  const { id, name, contentType, path } = file;
  return {
    id,
    name,
    contentType,
    size: bytes.byteLength,
    sha256,
    ...(dimensions && { dimensions }),
    git: { path, oid },
  };
}

/** Applies the mutations as one revision and makes it active, unless the space has changed since they were planned. */
function activate(
  { transaction, services }: Context,
  request: ImportRequest,
  before: { id: string; root: string } | undefined,
  mutations: readonly Mutation[],
): Promise<{ space: string; revision: string; created: number }> {
  return transaction(async (em) => {
    const space =
      typeof request.space === 'string' ? await lockSpace(em, request.space) : await request.space(em);
    requireUnlocked(space.editMode);
    if (before && space.revision !== before.id) {
      throw new DomainError('conflict', 'The space was changed during the import; import again.');
    }
    const db = kyselyOf(em);
    const buffer = createObjectBuffer(objectReader(db));
    const root = await editSnapshot(buffer, before?.root ?? putEmptyRoot(buffer), mutations);
    const work = { em, engine: localEngine, services };
    const next = { root, objects: buffer.pending, type: 'edits', author: request.author } as const;
    const { revision, created } = await advance(work, space, next);
    return { space: space.id, revision: revision.id, created };
  });
}
