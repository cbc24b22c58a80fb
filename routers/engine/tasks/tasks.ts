/** Expensive work on content: pure functions of their input and of stored objects, so that any process can run them. */

import { hash } from 'node:crypto';
import { parseJson } from '../../../schema/json/parse-json.ts';
import { conflictsMarkdown } from '../comparison/conflict-markdown.ts';
import { compareDocuments } from '../comparison/documents.ts';
import type { ContentRef, Document } from '../document/document.ts';
import { missingPart, type NodeTarget } from '../document/find-node.ts';
import { expandIncludes } from '../document/includes.ts';
import { findRefs } from '../document/readers.ts';
import { applyBatch } from '../edit/apply-batch.ts';
import type { Batch, Effect } from '../edit/batch.ts';
import { addLinkLabels, type LabelSource } from '../edit/link-labels.ts';
import type { FindGenerated, GeneratedPaths } from '../edit/links.ts';
import { type ExportPlan, planExport } from '../export/export.ts';
import { writeContentFile } from '../export/page-file.ts';
import { type Evaluation, evaluateDocument } from '../expressions/document.ts';
import type { Inputs } from '../expressions/evaluate.ts';
import { pageConditionChanges } from '../expressions/page-conditions.ts';
import {
  type AnchorRef,
  isTitledAnchor,
  type TitledAnchor,
  titledAnchorsIn,
} from '../links/anchor-titles.ts';
import { collectDocumentLinks, linkRowsOf } from '../links/document-links.ts';
import { parseMarkdown, serializeMarkdown } from '../markdown/markdown.ts';
import { published } from '../markdown/published/published.ts';
import type { Resolutions } from '../merge/conflicts.ts';
import { movedNodes } from '../merge/moved-nodes.ts';
import { type MergeResult, mergeSnapshots } from '../merge/snapshots.ts';
import { pictureUrls } from '../pdf/picture-urls.ts';
import type { SamlIdentity } from '../saml/assertion.ts';
import { type SamlResponse, verifySamlResponse } from '../saml/verify.ts';
import { invertPages } from '../search/inverted.ts';
import { buildSegment } from '../search/segment.ts';
import { type BundledSpec, type BundleResult, bundleSpec, type SpecFile } from '../specs/bundle.ts';
import { addHtmlDescriptions } from '../specs/descriptions.ts';
import { shownDocument } from '../specs/shown-document.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';
import { getDocument, getDocuments } from '../store/documents.ts';
import { earlierSlugs } from '../store/earlier-slugs.ts';
import type { ObjectBuffer } from '../store/objects.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';
import type { ApiOutline } from '../templates/api-outline.ts';
import { buildOutline, parseOutline } from '../templates/openapi-outline.ts';
import { findChangedContent, translateContent } from '../translation/content.ts';
import { segmentDocuments, translateDocuments } from '../translation/documents.ts';
import { type BodyLimits, parseBody } from './body.ts';

export interface EditInput extends Omit<Batch, 'reverts'> {
  root: string;
  /** By the index of each change that reverts a page: the root to revert to. */
  reverts: ReadonlyMap<number, string>;
  /** The generated pages that links lead to; absent until the task has been run once and has asked for them. */
  generated?: Awaited<ReturnType<FindGenerated>> | undefined;
}

/** What an edit changes, or the generated pages that it has to know first. */
type EditOutput = { root: string; effects: Effect[] } | { needs: readonly GeneratedPaths[] };

/** Ends a task that needs to know generated pages. */
class GeneratedNeeded extends Error {
  readonly paths: readonly GeneratedPaths[];

  constructor(paths: readonly GeneratedPaths[]) {
    super('the edit has links below computed pages');
    this.paths = paths;
  }
}

/** See {@link applyBatch}. */
async function edit(
  store: ObjectBuffer,
  { root, reverts, generated, ...batch }: EditInput,
): Promise<EditOutput> {
  const opened = new Map<number, Snapshot>();
  for (const [index, hash] of reverts) opened.set(index, await openSnapshot(store, hash));
  const findGenerated: FindGenerated = async (paths) => {
    if (!generated) throw new GeneratedNeeded(paths);
    return generated;
  };
  try {
    return await applyBatch(store, root, { ...batch, reverts: opened }, findGenerated);
  } catch (error) {
    if (error instanceof GeneratedNeeded) return { needs: error.paths };
    throw error;
  }
}

interface MergeInput {
  /** Hashes of roots. */
  base: string;
  ours: string;
  theirs: string;
  resolutions?: Resolutions;
}

/** See {@link mergeSnapshots}. */
const merge = (
  store: ObjectBuffer,
  { base, ours, theirs, resolutions = new Map() }: MergeInput,
): Promise<MergeResult> => mergeSnapshots(store, base, ours, theirs, { resolutions });

export interface DocumentView {
  /** Hash of the document. */
  document: string;
  /** If given, variables and conditions are evaluated. */
  evaluation?: { inputs: Inputs; which: Evaluation };
}

async function readDocument(
  store: ObjectBuffer,
  { document: address, evaluation }: DocumentView,
): Promise<Document> {
  return evaluated(await getDocument(store, address), evaluation);
}

const evaluated = (stored: Document, evaluation: DocumentView['evaluation']): Document =>
  evaluation ? evaluateDocument(stored, evaluation.inputs, evaluation.which) : stored;

/** Returns a document as it is published, evaluated if requested. */
const document = async (store: ObjectBuffer, view: DocumentView): Promise<Document> =>
  published(await readDocument(store, view));

export interface PrintedDocument {
  /** The published document as JSON. */
  json: string;
  /** All references in it, without duplicates. */
  refs: ContentRef[];
  /** Those to anchors of other pages that are shown with the title of their target. */
  titled: AnchorRef[];
  /** Those of blocks that show a part of an OpenAPI document in a file. */
  specFiles: ContentRef[];
  /** The URLs of images that are not files of the space. */
  pictures: string[];
}

/** Prepares a document for a PDF; reusable contents in `included` are expanded. */
async function printed(
  store: ObjectBuffer,
  { included, ...view }: DocumentView & Partial<Pick<SiteMarkdownOptions, 'included'>>,
): Promise<PrintedDocument> {
  const stored = await readDocument(store, view);
  const whole = included ? await expandIncludes(stored, readIncludedFrom(store, { included })) : stored;
  const found = findRefs(whole);
  const refs = new Map(found.map(({ ref }) => [canonicalJson(ref as Json), ref]));
  const specFiles = found.flatMap(({ ref, part }) => (part && ref.kind === 'file' ? ref : []));
  const made = published(whole);
  return {
    json: JSON.stringify(made),
    refs: [...refs.values()],
    titled: found.flatMap(({ ref, type }) => (isTitledAnchor(ref, type) ? ref : [])),
    specFiles,
    pictures: pictureUrls(made.nodes),
  };
}

export interface MarkdownOutput {
  markdown: string;
  /** Whether it contains titles of other pages or names of files, which may change although the document does not. */
  isLabelled: boolean;
  /** The ids of pages whose titles are not in the content: they may be generated. */
  untitled: readonly string[];
}

/** How a document is serialized for the readers of a site. */
export interface SiteMarkdownOptions {
  /** The language of the space. */
  language: string | null;
  /** The URLs of what it refers to, by the canonical JSON of the reference. */
  hrefs: ReadonlyMap<string, string>;
  /** The documents of reusable contents to expand, by id. */
  included: ReadonlyMap<string, Pick<DocumentView, 'document' | 'evaluation'>>;
}

interface MarkdownInput extends DocumentView, Pick<LabelSource, 'root' | 'claims' | 'titles'> {
  site?: SiteMarkdownOptions | undefined;
}

/** Serializes a document to Markdown, with labels from the content under a root. */
async function markdown(
  store: ObjectBuffer,
  { root, claims, titles, site, ...view }: MarkdownInput,
): Promise<MarkdownOutput> {
  const stored = await readDocument(store, view);
  const plain = site ? await expandIncludes(stored, readIncludedFrom(store, site)) : stored;
  const hrefOf = site && ((ref: ContentRef) => site.hrefs.get(canonicalJson(ref)));
  const { evaluation } = view;
  const untitled = new Set<string>();
  const onUntitled = (page: string) => void untitled.add(page);
  const source = { root, claims, evaluation, hrefOf, titles, onUntitled, language: site?.language };
  const labelled = await addLinkLabels(store, source, plain);
  const options = hrefOf ? { hrefOf } : {};
  const text = serializeMarkdown(labelled ?? plain, options);
  return { markdown: text, isLabelled: labelled !== undefined, untitled: [...untitled] };
}

const readIncludedFrom =
  (store: ObjectBuffer, { included }: Pick<SiteMarkdownOptions, 'included'>) =>
  async ({ reusableContent }: { reusableContent: string }): Promise<Document | undefined> => {
    const view = included.get(reusableContent);
    return view && readDocument(store, view);
  };

/** See {@link missingPart}. */
const target = async (
  store: ObjectBuffer,
  { document: address, ...wanted }: NodeTarget & { document: string },
) => missingPart(await getDocument(store, address), wanted);

/** Parses a text that is no page, such as a comment; undefined if it has more than `maxLength` characters as JSON. */
async function parseText(
  _store: ObjectBuffer,
  { markdown, maxLength }: { markdown: string; maxLength: number },
): Promise<Document | undefined> {
  const parsed = parseMarkdown(markdown);
  return JSON.stringify(parsed).length > maxLength ? undefined : parsed;
}

/** Collects the links and anchors of documents as rows of `document_link`; returns a JSON array. */
async function facts(store: ObjectBuffer, { documents }: { documents: readonly string[] }): Promise<string> {
  const found = await getDocuments(store, documents);
  return JSON.stringify(
    [...found].flatMap(([address, stored]) => linkRowsOf(address, collectDocumentLinks(stored))),
  );
}

/** Lists the anchors with titles of documents, in the order of the documents. */
async function titledAnchors(
  store: ObjectBuffer,
  { views }: { views: readonly DocumentView[] },
): Promise<TitledAnchor[][]> {
  const found = await getDocuments(
    store,
    views.map(({ document: address }) => address),
  );
  return views.map(({ document: address, evaluation }) =>
    titledAnchorsIn(evaluated(found.get(address) as Document, evaluation)),
  );
}

/** See {@link parseOutline}. */
const apiOutline = async (
  _store: ObjectBuffer,
  { bytes }: { bytes: Uint8Array },
): Promise<ApiOutline | undefined> => parseOutline(bytes);

/** See {@link shownDocument}. */
const shownSpec = async (
  _store: ObjectBuffer,
  { bytes }: { bytes: Uint8Array },
): Promise<string | undefined> => shownDocument(bytes);

/** See {@link bundleSpec}; adds the outline of the result. */
async function bundle(
  _store: ObjectBuffer,
  { files }: { files: readonly [SpecFile, ...SpecFile[]] },
): Promise<BundleResult & { outline?: ApiOutline | undefined }> {
  const result = bundleSpec(files);
  if (!('spec' in result)) return result;
  const { bytes } = result.spec.document;
  return { ...result, outline: buildOutline(parseJson(new TextDecoder().decode(bytes))) };
}

/** Adds descriptions in HTML to the document of a spec version, see {@link addHtmlDescriptions}, and returns its outline. */
async function describeSpec(
  _store: ObjectBuffer,
  { bytes }: { bytes: Uint8Array },
): Promise<Pick<BundledSpec, 'document'> & { outline?: ApiOutline | undefined }> {
  const document: unknown = parseJson(new TextDecoder().decode(bytes));
  addHtmlDescriptions(document);
  const described = Buffer.from(JSON.stringify(document));
  return {
    document: { sha256: hash('sha256', described), bytes: described },
    outline: buildOutline(document),
  };
}

/** See {@link parseBody}. */
const body = async (
  _store: ObjectBuffer,
  { bytes, ...limits }: { bytes: Uint8Array } & BodyLimits,
): Promise<ReturnType<typeof parseBody>> => parseBody(bytes, limits);

/** See {@link verifySamlResponse}. */
const samlResponse = (_store: ObjectBuffer, given: SamlResponse): Promise<SamlIdentity> =>
  verifySamlResponse(given);

/** See {@link invertPages}. */
const invert = invertPages;

/** See {@link buildSegment}. */
const searchSegment = buildSegment;

/** See {@link planExport}. */
const exportPlan = (
  store: ObjectBuffer,
  { root, generated }: { root: string; generated: ReadonlyMap<string, string> },
): Promise<ExportPlan> => planExport(store, root, generated);

/** See {@link writeContentFile}. */
const exportFile = writeContentFile;

const TASKS = {
  edit,
  merge,
  document,
  printed,
  markdown,
  parseText,
  target,
  movedNodes,
  pageConditionChanges,
  earlierSlugs,
  facts,
  titledAnchors,
  apiOutline,
  shownSpec,
  bundle,
  describeSpec,
  body,
  samlResponse,
  invert,
  searchSegment,
  exportPlan,
  exportFile,
  compareDocuments,
  conflictsMarkdown,
  findChangedContent,
  segmentDocuments,
  translateDocuments,
  translateContent,
};

export type TaskName = keyof typeof TASKS;
type TaskInputs = { [Name in TaskName]: Parameters<(typeof TASKS)[Name]>[1] };
type TaskOutputs = { [Name in TaskName]: Awaited<ReturnType<(typeof TASKS)[Name]>> };
export type TaskInput<Name extends TaskName> = TaskInputs[Name];
export type TaskOutput<Name extends TaskName> = TaskOutputs[Name];

/** Returns a task by name, with matching types of input and output. */
export const taskOf = <Name extends TaskName>(name: Name) =>
  TASKS[name] as unknown as (store: ObjectBuffer, input: TaskInput<Name>) => Promise<TaskOutput<Name>>;
