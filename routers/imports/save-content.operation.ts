import { setImmediate } from 'node:timers/promises';
import type { Context } from '../base/context.ts';
import type { ImportProgress } from '../base/ports.ts';
import { saveContent } from '../branches/advance.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { Document } from '../engine/document/document.ts';
import { anchorFactsOf, anchorsIn, linesOfAnchors } from '../engine/import/anchors.ts';
import type { ImportedDocument } from '../engine/import/mutations.ts';
import type { ImportPlan, PlannedFile, PlannedPage } from '../engine/import/plan.ts';
import type { PreviousImport } from '../engine/import/previous-import.ts';
import { readContent, readFile } from '../engine/import/read.ts';
import type { ImportNote } from '../engine/import/report.ts';
import { linesOfSpecs, type SpecLines, specsIn } from '../engine/import/spec-references.ts';
import type { TextFile } from '../engine/import/text.ts';
import { carryKeys } from '../engine/markdown/keys.ts';
import { getDocuments, putDocument } from '../engine/store/documents.ts';
import {
  createObjectBuffer,
  type NewObject,
  type ObjectBuffer,
  type ObjectReader,
} from '../engine/store/objects.ts';
import type { FileRecord, PageRecord, ReusableContentRecord } from '../engine/store/records.ts';
import { putText } from '../engine/store/texts.ts';
import { localEngine } from '../engine/tasks/engine.ts';
import type { ParsedAnchors } from './anchor-notes.query.ts';

/** Documents per write: bounds the memory of an import. */
const BATCH = 50;

/** How many notes of a file are stored for the next import; a file with more is parsed again. */
const MAX_SAVED_NOTES = 20;

interface SavedDocuments {
  /** By the id of their page or reusable content. */
  documents: Map<string, ImportedDocument>;
  /** How many were not stored before. */
  created: number;
  /** New objects that are not saved yet. */
  unsaved: Map<string, NewObject>;
  /** Notes on the documents, such as on broken links. */
  notes: ImportNote[];
  /** The anchors of those that were parsed, and their links to anchors, by the same ids. */
  anchors: Map<string, ParsedAnchors>;
  /** The OpenAPI specs that those that were parsed refer to, with the lines, by the same ids. */
  specs: Map<string, SpecLines>;
}

interface Saving {
  plan: ImportPlan;
  previous: PreviousImport;
  /** Whether files that are unchanged since the last import would be parsed as they were then. */
  canReuseDocuments: boolean;
  /** Writes nothing. */
  dryRun: boolean;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** A document that was changed, or is parsed differently than before. */
interface ChangedDocument {
  id: string;
  document: Document;
  /** The hash of the document that it replaces. */
  previous: string;
}

/**
 * Reads the documents of a plan and saves them in batches, each while the next is read, with the index of their links, so that
 * this is complete once a branch has them. A document that is parsed as at the last import stays as it was stored; any other
 * keeps the keys of its blocks.
 */
export async function saveDocuments(
  { db, services }: Pick<Context, 'db' | 'services'>,
  { plan, previous, canReuseDocuments, dryRun, onProgress }: Saving,
): Promise<SavedDocuments> {
  const saved: SavedDocuments = {
    documents: new Map(),
    created: 0,
    unsaved: new Map(),
    notes: [],
    anchors: new Map(),
    specs: new Map(),
  };
  const bodies = [...plan.pages.filter(({ type }) => type === 'document'), ...plan.reusableContents];
  const reader = objectReader(db);
  const work = { db, engine: localEngine };
  let writing: Promise<void> = Promise.resolve();
  for (let start = 0; start < bodies.length; start += BATCH) {
    const changed: ChangedDocument[] = [];
    const fresh = createObjectBuffer(reader);
    const batch = bodies.slice(start, start + BATCH).map((body) => {
      const known = previous.pages.get(body.id) ?? previous.reusableContents.get(body.id);
      return { body, known, reused: canReuseDocuments ? reuseDocument(body, known) : undefined };
    });
    const earlierTexts = await readEarlierTexts(
      plan,
      batch.flatMap(({ body, reused }) => (reused ? [] : [body])),
    );
    for (const [index, { body, known, reused }] of batch.entries()) {
      // Yields, so that the last batch can be written while this one is read.
      await setImmediate();
      const read = reused ?? (await readDocument(fresh, plan, { body, known, earlierTexts }));
      saved.documents.set(body.id, read.imported);
      for (const note of read.found) saved.notes.push(note);
      if (read.anchors) saved.anchors.set(body.id, read.anchors);
      if (read.specs) saved.specs.set(body.id, read.specs);
      if (read.change) changed.push(read.change);
      onProgress?.({ step: 'pages', done: start + index + 1, total: bodies.length });
    }
    const replacing = await preserveBlockKeys(reader, changed, saved.documents);
    await writing;
    // In a dry run, only the merge reads documents, and only those that replace others.
    if (dryRun) for (const [hash, object] of replacing) saved.unsaved.set(hash, object);
    else {
      fresh.adopt(replacing);
      writing = saveContent(work, services, fresh.pending).then((count) => {
        saved.created += count;
      });
      // The failure is handled where the promise is awaited; until then it must not count as unhandled.
      writing.catch(() => undefined);
    }
  }
  await writing;
  return saved;
}

/** Gives the blocks of changed documents the keys that they have in the documents they replace. */
async function preserveBlockKeys(
  reader: ObjectReader,
  changed: readonly ChangedDocument[],
  documents: Map<string, ImportedDocument>,
): Promise<ReadonlyMap<string, NewObject>> {
  const replaced = await getDocuments(
    reader,
    changed.map(({ previous }) => previous),
  );
  const buffer = createObjectBuffer(reader);
  for (const { id, document, previous } of changed) {
    const carried = carryKeys(replaced.get(previous) as Document, document);
    const read = documents.get(id) as ImportedDocument;
    documents.set(id, { ...read, document: putDocument(buffer, carried) });
  }
  return buffer.pending;
}

interface ReadDocument {
  imported: ImportedDocument;
  found: ImportNote[];
  /** Present if it replaces another document. */
  change?: ChangedDocument | undefined;
  /** Present if it was parsed, as are the specs. */
  anchors?: ParsedAnchors;
  specs?: SpecLines;
}

type Body = Pick<PlannedPage, 'id' | 'git'>;
/** The page or reusable content of the last import. */
type PreviousRecord = PageRecord | ReusableContentRecord | undefined;

/** The document of the last import, if the file is unchanged and its notes were stored. */
function reuseDocument({ git }: Body, known: PreviousRecord): ReadDocument | undefined {
  const { oid, text, notes, parsed = known?.document } = known?.git ?? {};
  const document = known?.document;
  if (!git || oid !== git.oid || !notes || document === undefined || parsed === undefined) return undefined;
  const found = notes.map((note) => ({ file: git.path, ...note }));
  return { imported: { document, parsed, text, notes }, found };
}

/** Reads the texts of the last import for the files that can no longer be read. */
async function readEarlierTexts(
  { scan: { earlier, kept, formerPaths } }: ImportPlan,
  bodies: readonly Body[],
): Promise<Map<string, TextFile>> {
  const paths = new Map(
    bodies.flatMap(({ git }) =>
      git && kept.has(git.path) ? [[formerPaths.get(git.path) ?? git.path, git.path]] : [],
    ),
  );
  const texts = new Map<string, TextFile>();
  for await (const [former, file] of earlier.read([...paths.keys()]))
    texts.set(paths.get(former) as string, file);
  return texts;
}

interface Reading {
  body: Body;
  known: PreviousRecord;
  /** By the path of the file. */
  earlierTexts: ReadonlyMap<string, TextFile>;
}

/** Parses a document; new objects go to the buffer, unless it replaces another document. */
async function readDocument(
  buffer: ObjectBuffer,
  plan: ImportPlan,
  { body, known, earlierTexts }: Reading,
): Promise<ReadDocument> {
  const earlierText = body.git && earlierTexts.get(body.git.path);
  const { document, notes: found, text } = await readContent(plan, body, earlierText);
  const read = createObjectBuffer(buffer);
  const parsed = putDocument(read, document);
  const previous = known?.document;
  const isSame = previous !== undefined && parsed === (known?.git?.parsed ?? previous);
  if (previous === undefined) buffer.adopt(read.pending);
  const imported = {
    document: isSame ? previous : parsed,
    parsed,
    text: text === undefined ? undefined : putText(buffer, { text }),
    notes: found.length > MAX_SAVED_NOTES ? undefined : found.map(({ file, ...note }) => note),
  };
  const change = previous === undefined || isSame ? undefined : { id: body.id, document, previous };
  const specs = linesOfSpecs(specsIn(document), text ?? '');
  return { imported, found, change, anchors: anchorsOf(document, text), specs };
}

function anchorsOf(document: Document, text = ''): ParsedAnchors {
  const facts = anchorFactsOf(document);
  return { ...facts, lines: linesOfAnchors(text, anchorsIn(facts.refs)) };
}

/** Reads the files of a plan and stores their bytes; those that can no longer be read stay as they were. */
export async function saveFiles(
  { services }: Pick<Context, 'services'>,
  { plan, previous, dryRun, onProgress }: Saving,
): Promise<FileRecord[]> {
  const files: FileRecord[] = [];
  for (const file of plan.files) {
    const known = plan.scan.kept.has(file.path) ? previous.files.get(file.id) : undefined;
    files.push(known ?? (await saveFile(services, plan, file, dryRun)));
    onProgress?.({ step: 'files', done: files.length, total: plan.files.length });
  }
  return files;
}

/** Reads a file, and stores its bytes unless nothing is to be written. */
export async function saveFile(
  { storage }: Pick<Context['services'], 'storage'>,
  plan: ImportPlan,
  file: PlannedFile,
  dryRun: boolean,
): Promise<FileRecord> {
  const { bytes, dimensions, sha256, oid } = await readFile(plan, file);
  if (!dryRun) await storage.put(sha256, bytes);
  const { id, name, contentType, path } = file;
  const size = bytes.byteLength;
  return { id, name, contentType, size, sha256, ...(dimensions && { dimensions }), git: { path, oid } };
}
