/** Converts the changes of an edit to mutations of a root, and applies them. */

import { getDocument, putDocument } from '../store/documents.ts';
import { editSnapshot, type Mutation, type PageFields, type PageInput } from '../store/edit.ts';
import { createObjectBuffer, type ObjectBuffer } from '../store/objects.ts';
import { type FileRecord, pageTypeName } from '../store/records.ts';
import { openSnapshot } from '../store/snapshot.ts';
import { withoutUndefined } from '../values.ts';
import {
  type Batch,
  type BatchState,
  type Body,
  type Effect,
  findPage,
  nextId,
  type PageState,
  type Step,
} from './batch.ts';
import { changeError, locateFailure } from './change-error.ts';
import { checkFields, fieldsOf, sameValue, withoutNulls } from './changed-fields.ts';
import { type ChangeOf, type DocumentContent, type EditChange, Title } from './changes.ts';
import { validateConditions } from './conditions.ts';
import type { StoredFile } from './files.ts';
import { type FindGenerated, hasPathLinks, type LinkMapping, NO_GENERATED, resolveLinks } from './links.ts';
import { type Names, parseContent } from './parse-content.ts';
import { revertPage } from './revert.ts';
import { splitTitle } from './titled-markdown.ts';
import { validatePageUrls, validateUrls } from './urls.ts';

/**
 * Applies a batch to a root. Returns the hash of the new root, whose new objects are in the buffer, and the effects of the
 * changes. Takes a few batches of reads, whatever the size of the space.
 * @param findGenerated is called at most once, before anything is written to the buffer
 * @throws DomainError that names the first change that failed; then nothing has changed.
 */
export async function applyBatch(
  buffer: ObjectBuffer,
  rootHash: string,
  batch: Batch,
  findGenerated: FindGenerated = NO_GENERATED,
): Promise<{ root: string; effects: Effect[] }> {
  const snapshot = await openSnapshot(buffer, rootHash);
  const state: BatchState = {
    batch,
    snapshot,
    names: new Map(),
    pages: new Map(await snapshot.pages(pagesToLoad(batch))),
    steps: [],
    effects: [],
    usedIds: 0,
  };
  const { steps, names, effects } = state;

  // Applies the first changes to a separate buffer, whose writes are discarded.
  const applyOnScratch = async (count: number) => {
    const scratch = createObjectBuffer(buffer);
    const mutations = steps.filter(({ index }) => index < count).map(({ mutation }) => mutation);
    return { scratch, root: await editSnapshot(scratch, rootHash, mutations) };
  };
  for (const [index, change] of batch.changes.entries()) {
    try {
      await applyChange(state, index, change);
    } catch (error) {
      // If the store rejects an earlier change, that one is the first that failed.
      await locateFailure(index, applyOnScratch);
      throw error;
    }
  }
  const bodies = steps.flatMap(({ body }) => (body ? [body] : []));
  const count = batch.changes.length;
  const links = await resolveBodyLinks(bodies, () => locateFailure(count, applyOnScratch), findGenerated);
  await parseBodies(buffer, steps, names, links);
  const mutations = steps.map((step) => withBody(step, batch.now));
  const deletions: (readonly string[])[] = [];
  const root = await locateFailure(count, async (upTo) =>
    upTo === count
      ? editSnapshot(buffer, rootHash, mutations, (below) => deletions.push(below))
      : (await applyOnScratch(upTo)).root,
  );
  if (root === rootHash && batch.changes.every(isMove))
    throw changeError('conflict', 'changes.0', 'The page is already in this position.');
  return { root, effects: withDeletionsBelow(effects, deletions) };
}

/** Whether a change does nothing but move a page. */
function isMove({ operation, ...change }: EditChange): boolean {
  const fields = Object.keys(withoutUndefined(change));
  return operation === 'update_page' && fields.length > 1 && fields.every((field) => MOVE_FIELDS.has(field));
}

const MOVE_FIELDS: ReadonlySet<string> = new Set(['page', 'into', 'at']);

/** Adds the pages that were deleted with a page above them, after that page; the lists are in the order of the deletions. */
function withDeletionsBelow(effects: readonly Effect[], deletions: readonly (readonly string[])[]): Effect[] {
  let next = 0;
  return effects.flatMap((effect) => {
    const below = effect.kind === 'page' && effect.change === 'deleted' ? (deletions[next++] ?? []) : [];
    return [effect, ...below.map((id): Effect => ({ ...effect, id }))];
  });
}

function pagesToLoad({ changes, resolutions }: Batch): Set<string> {
  const named = changes.flatMap((change) => ('page' in change ? [change.page] : []));
  return new Set([...named, ...resolutions.values()]);
}

async function applyChange(state: BatchState, index: number, change: EditChange): Promise<void> {
  switch (change.operation) {
    case 'insert_page':
      insertPage(state, index, change);
      break;
    case 'update_page':
      updatePage(state, index, change);
      break;
    case 'delete_page': {
      const { id } = findPage(state, index, change.page);
      state.pages.set(id, undefined);
      state.steps.push({ index, mutation: { type: 'delete-page', id } });
      state.effects.push({ index, ref: undefined, kind: 'page', change: 'deleted', id });
      break;
    }
    case 'revert_page':
      await revertPage(state, index, change);
      break;
    case 'insert_files':
      insertFiles(state, index, change);
      break;
    case 'resolve_conflict': {
      const page = state.batch.resolutions.get(index);
      if (page === undefined || typeof change.take === 'string') break;
      updatePage(state, index, { operation: 'update_page', page, document: change.take });
      break;
    }
  }
}

function insertPage(state: BatchState, index: number, change: ChangeOf<'insert_page'>): void {
  const { operation: _, document: sent, into, at, ref, ...given } = change;
  const { content } = extractTitle(sent, { title: given.title });
  const { now } = state.batch;
  const id = nextId(state);
  checkFields(index, given.type, { ...given, document: content });
  if (given.type === 'link' && !given.target)
    throw changeError('invalid', `changes.${index}.target`, 'A link needs a target.');
  if (given.type === 'computed' && !given.computed)
    throw changeError('invalid', `changes.${index}.computed`, 'A computed page needs a source.');
  validatePageUrls(given, undefined, index);
  const fields = fieldsOf(given, state.names);
  const page: PageInput = {
    ...(withoutNulls(fields) as Pick<PageInput, 'title' | 'type'>),
    id,
    createdAt: now,
    updatedAt: now,
  };
  const step: Step = { index, mutation: { type: 'put-page', page, ...placement(state, into, at) } };
  if (given.type === 'document') {
    step.body = { content: content ?? { markdown: '' }, page: id, previous: undefined };
  }
  state.pages.set(id, { ...page, document: step.body });
  state.steps.push(step);
  registerName(state, `changes.${index}.ref`, ref, id);
  state.effects.push({ index, ref, kind: 'page', change: 'created', id });
}

function updatePage(state: BatchState, index: number, change: ChangeOf<'update_page'>): void {
  const { operation: _, page: name, document: sent, into, at, type, ...rest } = change;
  const before = findPage(state, index, name);
  const { id } = before;
  const { title, content } = extractTitle(sent, { title: rest.title, current: before.title });
  const given = title === undefined ? rest : { ...rest, title };
  if (title !== undefined && !Title.safeParse(title).success)
    throw changeError(
      'invalid',
      `changes.${index}.document.markdown`,
      'The first heading is too long for a title; set the title of the page separately.',
    );
  if (type !== undefined && type !== before.type)
    throw changeError(
      'invalid',
      `changes.${index}.type`,
      `The page is a ${pageTypeName(before.type)}; its type cannot be changed.`,
    );
  checkFields(index, before.type, { ...given, document: content });
  validatePageUrls(given, before, index);
  const fields: PageFields = fieldsOf(given, state.names);
  const isChanged = Object.entries(fields).some(
    ([field, value]) => !sameValue(value, before[field as keyof PageState]),
  );
  const mutation: Mutation = {
    type: 'patch-page',
    id,
    fields: {
      ...fields,
      ...(isChanged && { updatedAt: state.batch.now }),
      // The title from a repository's table of contents does not go with the new title.
      ...(given.title !== undefined && given.title !== before.title && { summaryTitle: null }),
    },
    ...placement(state, into, at),
  };
  const step: Step = { index, mutation };
  if (content) step.body = { content, page: id, previous: before.document };
  state.pages.set(id, {
    ...before,
    ...(withoutNulls(fields) as Partial<PageState>),
    ...(step.body && { document: step.body }),
  });
  state.steps.push(step);
  state.effects.push({ index, ref: undefined, kind: 'page', change: 'updated', id });
}

/** Extracts the title from content in Markdown, which may start with it. */
function extractTitle(
  content: DocumentContent | undefined,
  titles: { title: string | undefined; current?: string },
): { title: string | undefined; content: DocumentContent | undefined } {
  if (content?.markdown === undefined) return { title: titles.title, content };
  const { title, body } = splitTitle(content.markdown, titles);
  return { title, content: { ...content, markdown: body } };
}

function insertFiles(state: BatchState, index: number, change: ChangeOf<'insert_files'>): void {
  const stored = state.batch.files.get(index) ?? [];
  for (const [place, { ref }] of change.files.entries()) {
    const id = nextId(state);
    const file: FileRecord = { ...(stored[place] as StoredFile), id };
    state.steps.push({ index, mutation: { type: 'put-file', file } });
    registerName(state, `changes.${index}.files.${place}.ref`, ref, id);
    state.effects.push({ index, ref, kind: 'file', change: 'created', id });
  }
}

function registerName({ names }: BatchState, path: string, ref: string | undefined, id: string): void {
  if (ref === undefined) return;
  if (names.has(ref)) throw changeError('invalid', path, `The ref "${ref}" is already in use.`);
  names.set(ref, id);
}

function placement(
  { names }: BatchState,
  into: string | null | undefined,
  index: number | undefined,
): { parent?: string | null; index?: number } {
  return {
    ...(into !== undefined && { parent: into === null ? null : (names.get(into) ?? into) }),
    ...(index !== undefined && { index }),
  };
}

/** Resolves the links in new bodies, if any may refer to pages by path. */
async function resolveBodyLinks(
  bodies: readonly Body[],
  applyOnScratch: () => Promise<{ scratch: ObjectBuffer; root: string }>,
  findGenerated: FindGenerated,
): Promise<Map<Body, LinkMapping>> {
  const linking = bodies.filter(({ content }) => content.markdown && hasPathLinks(content.markdown));
  if (linking.length === 0) return new Map();
  const { scratch, root } = await applyOnScratch();
  const sources = linking.map(({ page, content }) => ({ page, markdown: content.markdown as string }));
  const readings = await resolveLinks(scratch, root, sources, findGenerated);
  return new Map(linking.map((body, index) => [body, readings[index] as LinkMapping]));
}

async function parseBodies(
  buffer: ObjectBuffer,
  steps: readonly Step[],
  names: Names,
  links: ReadonlyMap<Body, LinkMapping>,
): Promise<void> {
  await buffer.read(steps.flatMap(({ body }) => (typeof body?.previous === 'string' ? [body.previous] : [])));
  for (const { index, body } of steps) {
    if (!body) continue;
    const hash = hashOf(body.previous);
    const previous = (hash && (await getDocument(buffer, hash))) || undefined;
    const document = parseContent(body.content, { links: links.get(body), names, previous });
    // guard: edit-conditions
    validateConditions(document, previous, `changes.${index}.document`);
    // guard: edit-script-urls
    validateUrls(document, previous, `changes.${index}.document`);
    body.hash = putDocument(buffer, document);
  }
}

const hashOf = (document: string | Body | undefined): string | undefined =>
  typeof document === 'object' ? document.hash : document;

/** Adds the parsed document to a mutation. */
function withBody({ mutation, body }: Step, now: string): Mutation {
  if (!body?.hash) return mutation;
  const document = body.hash;
  if (mutation.type === 'put-page') return { ...mutation, page: { ...mutation.page, document } };
  if (mutation.type !== 'patch-page' || document === hashOf(body.previous)) return mutation;
  return { ...mutation, fields: { ...mutation.fields, document, updatedAt: now } };
}
