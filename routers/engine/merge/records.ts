/** Merges a page, file or reusable content that both sides have, field by field. */

import type { Document } from '../document/document.ts';
import { canonicalJson, type Json, sameJson } from '../store/canonical.ts';
import type { FileRecord, GitOrigin, PageRecord, ReusableContentRecord, Root } from '../store/records.ts';
import { suffixOf } from '../store/slug.ts';
import {
  type ConflictPlace,
  type ConflictResolver,
  mergeFields,
  type Side,
  topLevelOnly,
  trivialMerge,
  type Versions,
} from './conflicts.ts';
import { mergeDocument } from './document.ts';

/** The context for merging records. */
export type RecordMerger = {
  readonly resolve: ConflictResolver;
  /** The documents by hash, for all hashes that {@link changedDocuments} returns. */
  readonly documents: ReadonlyMap<string, Document>;
  /** Stores a merged document and returns its hash. */
  readonly putDocument: (document: Document) => string;
};

/** Fields of a page whose own fields are merged independently; others, such as the cover, are merged as a whole. */
const COMPOSITE_PAGE_FIELDS: readonly (string | undefined)[] = ['layout', 'variables'];

export function mergePage(merger: RecordMerger, versions: Versions<PageRecord>): PageRecord {
  const page = versions.ours?.id;
  const { resolve } = merger;
  const rest = mapVersions(
    versions,
    ({ slug, parent, position, document, git, createdAt, updatedAt, ...fields }) => fields,
  );
  const fields = mergeFields(
    rest,
    (path) => path.length === 0 || (path.length === 1 && COMPOSITE_PAGE_FIELDS.includes(path[0])),
    (path, inner) => resolve({ kind: 'page-field', page, field: path.join('.') }, inner),
  );
  const placement = mapVersions(versions, ({ parent, position }) => ({ parent, position }));
  const decide = (field: string) => (inner: Versions<unknown>) =>
    resolve({ kind: 'page-field', page, field }, inner);
  return {
    ...(fields as PageRecord),
    ...mergeWhole(placement, (inner) => resolve({ kind: 'page-placement', page }, inner)),
    slug: mergeSlug(fieldOf(versions, 'slug'), decide('slug')),
    document: mergeDocumentField(merger, { page }, versions, decide('document')),
    git: mergeGit(versions),
    createdAt: mergeOrChoose(fieldOf(versions, 'createdAt'), smaller) as string,
    updatedAt: mergeOrChoose(fieldOf(versions, 'updatedAt'), greater) as string,
  };
}

export function mergeFile(merger: RecordMerger, versions: Versions<FileRecord>): FileRecord {
  const file = versions.ours?.id;
  const decide = (field: string) => (inner: Versions<unknown>) =>
    merger.resolve({ kind: 'file-field', file, field }, inner);
  const content = mapVersions(versions, ({ contentType, size, sha256, dimensions }) => {
    return { contentType, size, sha256, dimensions };
  });
  return {
    id: file as string,
    name: mergeWhole(fieldOf(versions, 'name'), decide('name')),
    ...mergeWhole(content, decide('content')),
    git: mergeGit(versions),
  };
}

export function mergeReusableContent(
  merger: RecordMerger,
  versions: Versions<ReusableContentRecord>,
): ReusableContentRecord {
  const reusableContent = versions.ours?.id;
  const decide = (field: string) => (inner: Versions<unknown>) =>
    merger.resolve({ kind: 'reusable-content-field', reusableContent, field }, inner);
  return {
    id: reusableContent as string,
    title: mergeWhole(fieldOf(versions, 'title'), decide('title')),
    document: mergeDocumentField(merger, { reusableContent }, versions, decide('document')) as string,
    git: mergeGit(versions),
  };
}

/** Merges the variables of a space by name. */
export function mergeVariables<Variables extends object>(
  resolve: ConflictResolver,
  versions: Versions<Variables>,
): Variables {
  const decide = ([variable]: readonly string[], inner: Versions<unknown>) =>
    resolve({ kind: 'variable', variable }, inner);
  return mergeFields(versions, topLevelOnly, decide) as Variables;
}

type WithDocument = { readonly document?: string };

/** The hashes of the three documents to read before merging, if both sides changed the document of a record differently. */
export function changedDocuments(versions: Versions<WithDocument>): string[] {
  const { base, ours, theirs } = fieldOf(versions, 'document');
  return base && ours && theirs && !trivialMerge({ base, ours, theirs }) ? [base, ours, theirs] : [];
}

function mergeDocumentField(
  { documents, putDocument, resolve }: RecordMerger,
  owner: Pick<ConflictPlace, 'page' | 'reusableContent'>,
  versions: Versions<WithDocument>,
  decide: (versions: Versions<unknown>) => Side,
): string | undefined {
  const hashes = fieldOf(versions, 'document');
  if (changedDocuments(versions).length === 0) return mergeWhole(hashes, decide);
  const [base, ours, theirs] = changedDocuments(versions).map((hash) => documents.get(hash) as Document);
  return putDocument(mergeDocument(owner, base as Document, ours as Document, theirs as Document, resolve));
}

/** A slug that got a suffix in an earlier merge keeps it when the same branch is merged again. */
function mergeSlug(versions: Versions<string>, decide: (versions: Versions<unknown>) => Side): string {
  return mergeWhole(versions, (inner) => {
    const { ours = '', theirs = '' } = versions;
    if (suffixOf(ours, theirs) !== undefined) return 'ours';
    return suffixOf(theirs, ours) === undefined ? decide(inner) : 'theirs';
  });
}

function mergeGit<Origin extends GitOrigin>(
  versions: Versions<{ readonly git?: Origin }>,
): Origin | undefined {
  return mergeFields(fieldOf(versions, 'git'), topLevelOnly, (_, inner) => decideOrigin(inner)) as
    | Origin
    | undefined;
}

/** Merges the repository files as a whole, since they belong to one import. */
export function mergeRepository(roots: Versions<Root>): Pick<Root, 'repository'> {
  const repository = mergeWhole(fieldOf(roots, 'repository'), decideOrigin);
  return repository && { repository };
}

/**
 * Decides which origin to keep, which is never a conflict: by any rule that does not depend on which side is ours.
 */
function decideOrigin({ ours, theirs }: Versions<unknown>): Side {
  if (ours === undefined || theirs === undefined) return ours === undefined ? 'theirs' : 'ours';
  return canonicalJson(ours as Json) < canonicalJson(theirs as Json) ? 'ours' : 'theirs';
}

function mergeWhole<T>(versions: Versions<T>, decide: (versions: Versions<T>) => Side): T {
  const clean = trivialMerge(versions);
  return (clean ? clean.value : versions[decide(versions)]) as T;
}

function mergeOrChoose(
  versions: Versions<string>,
  choose: (a: string, b: string) => string,
): string | undefined {
  const clean = trivialMerge(versions);
  if (clean) return clean.value;
  return choose(versions.ours ?? (versions.theirs as string), versions.theirs ?? (versions.ours as string));
}

const smaller = (a: string, b: string): string => (a < b ? a : b);
const greater = (a: string, b: string): string => (a < b ? b : a);

export function mapVersions<From, To>(
  { base, ours, theirs }: Versions<From>,
  map: (value: From) => To,
): Versions<To> {
  const apply = (value: From | undefined) => (value === undefined ? undefined : map(value));
  return { base: apply(base), ours: apply(ours), theirs: apply(theirs) };
}

const fieldOf = <T extends object, Field extends keyof T>(versions: Versions<T>, field: Field) =>
  mapVersions(versions, (value) => value[field]) as Versions<NonNullable<T[Field]>>;

/** Whether two versions of a record differ in nothing but bookkeeping. */
export const sameContent = (a: object | undefined, b: object | undefined): boolean =>
  sameJson(withoutBookkeeping(a), withoutBookkeeping(b));

/** The content of a record, including the head of its file, which may have settings without a field. */
function withoutBookkeeping(record: object | undefined): object {
  const { createdAt, updatedAt, git, ...rest } = (record ?? {}) as Record<string, unknown>;
  return { ...rest, head: (git as PageRecord['git'])?.head };
}
