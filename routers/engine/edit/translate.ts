/** Turns the changes of a request into mutations of a root. */

import type { ContentRef } from '../document/document.ts';
import { type Json, type JsonObject, sameJson } from '../store/canonical.ts';
import { getDocument, putDocument } from '../store/documents.ts';
import { editSnapshot, type Mutation, type PageFields, type PageInput } from '../store/edit.ts';
import { createObjectBuffer, type ObjectBuffer } from '../store/objects.ts';
import { uniqueTags } from '../store/page-fields.ts';
import type { FileRecord, PageRecord } from '../store/records.ts';
import { openSnapshot } from '../store/snapshot.ts';
import {
  type Batch,
  type Body,
  type Effect,
  nextId,
  type PageState,
  pageNamed,
  type Step,
  type Translation,
} from './batch.ts';
import { type ChangeOf, type DocumentContent, type EditChange, Title } from './changes.ts';
import { requireConditions } from './conditions.ts';
import { type Names, readDocument, withIds } from './documents.ts';
import { changeError, namingFailure } from './failures.ts';
import type { StoredFile } from './files.ts';
import { hasPathLinks, type LinkReading, readLinks } from './links.ts';
import { revertPage } from './revert.ts';
import { splitTitle } from './titled-markdown.ts';

/**
 * Applies a batch to a root: returns the hash of the next root, whose new objects are in the buffer, and the result of
 * each change. Costs a few batches of reads, whatever the size of the space.
 * @throws DomainError naming the first change that failed; nothing has changed then.
 */
export async function applyBatch(
  buffer: ObjectBuffer,
  rootHash: string,
  batch: Batch,
): Promise<{ root: string; effects: Effect[] }> {
  const snapshot = await openSnapshot(buffer, rootHash);
  const translation: Translation = {
    batch,
    snapshot,
    names: new Map(),
    pages: new Map(await snapshot.pages(namedPages(batch))),
    steps: [],
    effects: [],
    taken: 0,
  };
  const { steps, names, effects } = translation;

  // The placement of pages is computed on a separate buffer, so that its writes are discarded.
  const tryStructure = async (count: number) => {
    const scratch = createObjectBuffer(buffer);
    const mutations = steps.filter(({ index }) => index < count).map(({ mutation }) => mutation);
    return { scratch, root: await editSnapshot(scratch, rootHash, mutations) };
  };
  for (const [index, change] of batch.changes.entries()) {
    try {
      await translate(translation, index, change);
    } catch (error) {
      // The store may reject an earlier change, which is then the first that failed.
      await namingFailure(index, tryStructure);
      throw error;
    }
  }
  const bodies = steps.flatMap(({ body }) => (body ? [body] : []));
  const count = batch.changes.length;
  const links = await readBodyLinks(bodies, () => namingFailure(count, tryStructure));
  await readBodies(buffer, steps, names, links);
  const mutations = steps.map((step) => withBody(step, batch.now));
  const root = await namingFailure(count, async (upTo) =>
    upTo === count ? editSnapshot(buffer, rootHash, mutations) : (await tryStructure(upTo)).root,
  );
  return { root, effects };
}

function namedPages({ changes, resolutions }: Batch): Set<string> {
  const named = changes.flatMap((change) => ('page' in change ? [change.page] : []));
  return new Set([...named, ...resolutions.values()]);
}

async function translate(translation: Translation, index: number, change: EditChange): Promise<void> {
  switch (change.operation) {
    case 'insert_page':
      insertPage(translation, index, change);
      break;
    case 'update_page':
      updatePage(translation, index, change);
      break;
    case 'delete_page': {
      const { id } = pageNamed(translation, index, change.page);
      translation.pages.set(id, undefined);
      translation.steps.push({ index, mutation: { type: 'delete-page', id } });
      translation.effects.push({ index, ref: undefined, kind: 'page', change: 'deleted', id });
      break;
    }
    case 'revert_page':
      await revertPage(translation, index, change);
      break;
    case 'insert_files':
      insertFiles(translation, index, change);
      break;
    case 'resolve_conflict': {
      const page = translation.batch.resolutions.get(index);
      if (page === undefined || typeof change.take === 'string') break;
      updatePage(translation, index, { operation: 'update_page', page, document: change.take });
      break;
    }
  }
}

function insertPage(translation: Translation, index: number, change: ChangeOf<'insert_page'>): void {
  const { operation: _, document: sent, into, at, ref, ...given } = change;
  const { content } = takeTitle(sent, { title: given.title });
  const { now } = translation.batch;
  const id = nextId(translation);
  checkFields(index, given.type, { ...given, document: content });
  if (given.type === 'link' && !given.target)
    throw changeError('invalid', `changes.${index}.target`, 'A link needs a target.');
  if (given.type === 'computed' && !given.computed)
    throw changeError('invalid', `changes.${index}.computed`, 'A computed page needs a source.');
  const fields = fieldsOf(given, translation.names);
  const page: PageInput = {
    ...(withoutNulls(fields) as Pick<PageInput, 'title' | 'type'>),
    id,
    createdAt: now,
    updatedAt: now,
  };
  const step: Step = { index, mutation: { type: 'put-page', page, ...placement(translation, into, at) } };
  if (given.type === 'document') {
    step.body = { content: content ?? { markdown: '' }, page: id, previous: undefined };
  }
  translation.pages.set(id, { ...page, document: step.body });
  translation.steps.push(step);
  giveName(translation, `changes.${index}.ref`, ref, id);
  translation.effects.push({ index, ref, kind: 'page', change: 'created', id });
}

function updatePage(translation: Translation, index: number, change: ChangeOf<'update_page'>): void {
  const { operation: _, page: name, document: sent, into, at, type, ...rest } = change;
  const before = pageNamed(translation, index, name);
  const { id } = before;
  const { title, content } = takeTitle(sent, { title: rest.title, current: before.title });
  const given = title === undefined ? rest : { ...rest, title };
  if (title !== undefined && !Title.safeParse(title).success)
    throw changeError(
      'invalid',
      `changes.${index}.document.markdown`,
      'The first heading is too long for a title; give the page a title beside it.',
    );
  if (type !== undefined && type !== before.type)
    throw changeError(
      'invalid',
      `changes.${index}.type`,
      `The page is a ${before.type}; its type cannot be changed.`,
    );
  checkFields(index, before.type, { ...given, document: content });
  const fields: PageFields = fieldsOf(given, translation.names);
  const isChanged = Object.entries(fields).some(
    ([field, value]) => !sameValue(value, before[field as keyof PageState]),
  );
  const mutation: Mutation = {
    type: 'patch-page',
    id,
    fields: {
      ...fields,
      ...(isChanged && { updatedAt: translation.batch.now }),
      // The title in a repository's table of contents does not apply to the new title.
      ...(given.title !== undefined && given.title !== before.title && { summaryTitle: null }),
    },
    ...placement(translation, into, at),
  };
  const step: Step = { index, mutation };
  if (content) step.body = { content, page: id, previous: before.document };
  translation.pages.set(id, {
    ...before,
    ...(withoutNulls(fields) as Partial<PageState>),
    ...(step.body && { document: step.body }),
  });
  translation.steps.push(step);
  translation.effects.push({ index, ref: undefined, kind: 'page', change: 'updated', id });
}

/** The title of a page and its content, which as Markdown may begin with the title. */
function takeTitle(
  content: DocumentContent | undefined,
  titles: { title: string | undefined; current?: string },
): { title: string | undefined; content: DocumentContent | undefined } {
  if (content?.markdown === undefined) return { title: titles.title, content };
  const { title, body } = splitTitle(content.markdown, titles);
  return { title, content: { ...content, markdown: body } };
}

function insertFiles(translation: Translation, index: number, change: ChangeOf<'insert_files'>): void {
  const stored = translation.batch.files.get(index) ?? [];
  for (const [place, { ref }] of change.files.entries()) {
    const id = nextId(translation);
    const file: FileRecord = { ...(stored[place] as StoredFile), id };
    translation.steps.push({ index, mutation: { type: 'put-file', file } });
    giveName(translation, `changes.${index}.files.${place}.ref`, ref, id);
    translation.effects.push({ index, ref, kind: 'file', change: 'created', id });
  }
}

function giveName({ names }: Translation, path: string, ref: string | undefined, id: string): void {
  if (ref === undefined) return;
  if (names.has(ref)) throw changeError('invalid', path, `The ref "${ref}" is already in use.`);
  names.set(ref, id);
}

function placement(
  { names }: Translation,
  into: string | null | undefined,
  index: number | undefined,
): { parent?: string | null; index?: number } {
  return {
    ...(into !== undefined && { parent: into === null ? null : (names.get(into) ?? into) }),
    ...(index !== undefined && { index }),
  };
}

function checkFields(
  index: number,
  type: PageRecord['type'],
  { document, target, computed }: Pick<ChangeOf<'update_page'>, 'document' | 'target' | 'computed'>,
): void {
  if (document && type !== 'document')
    throw changeError('invalid', `changes.${index}.document`, `A ${type} has no document.`);
  if (target && type !== 'link')
    throw changeError('invalid', `changes.${index}.target`, `Only a link has a target, not a ${type}.`);
  if (computed && type !== 'computed')
    throw changeError(
      'invalid',
      `changes.${index}.computed`,
      `Only a computed page has a source, not a ${type}.`,
    );
}

type GivenFields = Omit<Partial<ChangeOf<'update_page'>>, 'operation' | 'page' | 'document' | 'into' | 'at'>;

/** The fields of a change as stored: false flags are absent. */
function fieldsOf(given: GivenFields, names: Names): PageFields {
  const { cover, target, hidden, noIndex, noRobotsIndex, layout, variables, tags, ...plain } = given;
  const ref = (value: ContentRef | undefined) => value && withIds(value, names);
  const flag = (value: boolean | undefined) => (value === false ? null : value);
  const fields = {
    ...plain,
    layout,
    variables,
    tags: tags === null ? [] : tags && uniqueTags(tags),
    cover: cover && { ...cover, ref: ref(cover.ref), refDark: ref(cover.refDark) },
    target: ref(target),
    hidden: flag(hidden),
    noIndex: flag(noIndex),
    noRobotsIndex: flag(noRobotsIndex),
  };
  return defined(fields) as PageFields;
}

/** A copy without fields that are undefined, at the two levels that fields have. */
function defined(value: object): JsonObject {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? defined(inner) : (inner as Json),
    ]),
  );
}

const withoutNulls = (fields: PageFields): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const sameValue = (value: unknown, before: unknown): boolean => sameJson(value ?? null, before ?? null);

/** Resolves links only if some may refer to a page by path. */
async function readBodyLinks(
  bodies: readonly Body[],
  tryStructure: () => Promise<{ scratch: ObjectBuffer; root: string }>,
): Promise<Map<Body, LinkReading>> {
  const linking = bodies.filter(({ content }) => content.markdown && hasPathLinks(content.markdown));
  if (linking.length === 0) return new Map();
  const { scratch, root } = await tryStructure();
  const sources = linking.map(({ page, content }) => ({ page, markdown: content.markdown as string }));
  const readings = await readLinks(scratch, root, sources);
  return new Map(linking.map((body, index) => [body, readings[index] as LinkReading]));
}

async function readBodies(
  buffer: ObjectBuffer,
  steps: readonly Step[],
  names: Names,
  links: ReadonlyMap<Body, LinkReading>,
): Promise<void> {
  await buffer.read(steps.flatMap(({ body }) => (typeof body?.previous === 'string' ? [body.previous] : [])));
  for (const { index, body } of steps) {
    if (!body) continue;
    const hash = hashOf(body.previous);
    const previous = (hash && (await getDocument(buffer, hash))) || undefined;
    const document = readDocument(body.content, { links: links.get(body), names, previous });
    requireConditions(document, previous, `changes.${index}.document`);
    body.hash = putDocument(buffer, document);
  }
}

const hashOf = (document: string | Body | undefined): string | undefined =>
  typeof document === 'object' ? document.hash : document;

/** A mutation with its parsed document. */
function withBody({ mutation, body }: Step, now: string): Mutation {
  if (!body?.hash) return mutation;
  const document = body.hash;
  if (mutation.type === 'put-page') return { ...mutation, page: { ...mutation.page, document } };
  if (mutation.type !== 'patch-page' || document === hashOf(body.previous)) return mutation;
  return { ...mutation, fields: { ...mutation.fields, document, updatedAt: now } };
}
