/** The labels of content references and table cells in Markdown, which readers of the Markdown see instead of ids. */

import type { Block, ContentRef, Data, Document } from '../document/document.ts';
import { refLabelsIn } from '../document/ref-labels.ts';
import { asRef, defaultHref, type HrefOf } from '../document/refs.ts';
import { escapeLabel } from '../export/escape-title.ts';
import type { Claims } from '../expressions/claims.ts';
import { ConditionEvaluator } from '../expressions/conditions.ts';
import { type Evaluation, evaluateDocument } from '../expressions/document.ts';
import type { Inputs } from '../expressions/evaluate.ts';
import { type AnchorTitles, anchorTitles, titledAnchorsIn } from '../links/anchor-titles.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { sameJson } from '../store/canonical.ts';
import { getDocuments } from '../store/documents.ts';
import type { ObjectReader } from '../store/objects.ts';
import type { PageRecord } from '../store/records.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';
import { withoutUndefined } from '../values.ts';

/** The label in a table cell, and the reference it belongs to. */
type CellLabel = { ref: ContentRef; text: string };
type CellLabels = Record<string, Record<string, CellLabel>>;

/** Maximum number of pages that are read for the titles of their anchors: each may be long. Labels of others are titles of pages. */
const MAX_TITLED = 50;

/** The content from which labels are read. */
export interface LabelSource {
  /** Hash of its root. */
  root: string;
  /** The claims of a visitor of a site, from whom the titles of pages that they may not see are hidden. */
  claims?: Claims | undefined;
  /** How documents are evaluated for the reader, with the variables of the page that is written. */
  evaluation?: { inputs: Inputs; which: Evaluation } | undefined;
  /** How references are written; by default, by id. */
  hrefOf?: HrefOf | undefined;
  /** The titles of pages that are not in the content, because they are generated, by id. */
  titles?: ReadonlyMap<string, string> | undefined;
  /** Called with the id of each page whose title is unknown. */
  onUntitled?: ((page: string) => void) | undefined;
  /** The language of labels for targets without a known title; by default, English. */
  language?: string | null | undefined;
}

/**
 * Returns a copy of a document with labels: the current titles and file names of what it refers to. Undefined if it has no
 * labels, so that its Markdown depends on nothing else.
 */
export async function addLinkLabels(
  reader: ObjectReader,
  source: LabelSource,
  document: Document,
): Promise<Document | undefined> {
  const refs: ContentRef[] = [];
  walkBlocks(document.nodes, (block) => {
    for (const { ref } of refsWithLabels(block)) refs.push(ref);
  });
  if (refs.length === 0) return undefined;
  const titleOf = await readTitles(reader, source, refs);
  const result = structuredClone(document);
  walkBlocks(result.nodes, (block) => setLabels(block, titleOf, source.hrefOf));
  return result;
}

/**
 * Removes the labels that this service generated from a document parsed from Markdown, since they are not the author's.
 * Blocks whose reference is the same as in `previous`, the document being replaced, keep their stored labels.
 */
export function restoreLinkLabels(document: Document, previous: Document | undefined): Document {
  const stored = new Map<string, Block>();
  if (previous)
    walkBlocks(previous.nodes, (block) => {
      if (block.key !== undefined && refsWithLabels(block).length > 0) stored.set(block.key, block);
    });
  walkBlocks(document.nodes, (block) => {
    if (refsWithLabels(block).length === 0) return;
    const before = stored.get(block.key ?? '');
    const isSame = before?.type === block.type && sameJson(before.data ?? {}, block.data ?? {});
    const { body, labels, ...others } = block.format ?? {};
    const kept = isSame ? storedLabels(before) : { body: isGeneratedLabel(block, body) ? undefined : body };
    block.format = withoutUndefined({ ...others, ...kept });
    if (Object.keys(block.format).length === 0) delete block.format;
  });
  return document;
}

const storedLabels = ({ format: { body, labels } = {} }: Block) => ({ body, labels });

/** Whether the body of a block is a link that this service generated. */
function isGeneratedLabel({ data }: Block, body: unknown): boolean {
  const ref = asRef(data?.ref);
  return ref !== undefined && typeof body === 'string' && body.endsWith(`](${defaultHref(ref)})`);
}

/** The references of a block that have a label in Markdown, except URLs. */
function refsWithLabels(block: Block): { ref: ContentRef; record?: string; column?: string }[] {
  if (block.type === 'content-ref') {
    const ref = asRef(block.data?.ref);
    return ref && ref.kind !== 'url' && block.format?.body !== null ? [{ ref }] : [];
  }
  if (block.type !== 'table') return [];
  const records = (block.data?.records ?? {}) as Record<string, { values?: Data }>;
  return Object.entries(records).flatMap(([record, { values = {} }]) =>
    Object.entries(values).flatMap(([column, value]) => {
      const ref = asRef(value) ?? asRef((value as Data | null)?.ref);
      return ref && ref.kind !== 'url' ? [{ ref, record, column }] : [];
    }),
  );
}

function setLabels(block: Block, titleOf: (ref: ContentRef) => string, hrefOf: HrefOf = defaultHref): void {
  const labels: CellLabels = {};
  for (const { ref, record, column } of refsWithLabels(block)) {
    const text = titleOf(ref);
    if (record === undefined || column === undefined) {
      const href = hrefOf(ref) ?? defaultHref(ref);
      block.format = { ...block.format, body: `[${escapeLabel(text)}](${href})` };
    } else {
      labels[record] = { ...labels[record], [column]: { ref, text } };
    }
  }
  if (Object.keys(labels).length > 0) block.format = { ...block.format, labels };
}

/** Reads the titles and file names of targets in the space, in one batch for each kind. */
async function readTitles(
  reader: ObjectReader,
  { root, claims, evaluation, titles, onUntitled, language }: LabelSource,
  refs: readonly ContentRef[],
): Promise<(ref: ContentRef) => string> {
  const labels = refLabelsIn(language);
  const snapshot = await openSnapshot(reader, root);
  const targets = refs.map(targetOf);
  const idsOf = (kind: string) =>
    new Set(
      targets.flatMap((target) => (target.kind === kind && target.id !== undefined ? [target.id] : [])),
    );
  const [pages, files, reusableContents] = await Promise.all([
    visiblePages(snapshot, idsOf('page'), claims),
    snapshot.filesById(idsOf('file')),
    snapshot.reusableContentsById(idsOf('reusable-content')),
  ]);
  const anchorTitle = await readAnchorTitles(reader, { claims, evaluation }, refs, pages);
  return (ref) => {
    const { kind, id = '' } = targetOf(ref);
    const title =
      kind === 'page'
        ? (anchorTitle(ref) ?? pages.get(id)?.title ?? titles?.get(id))
        : kind === 'file'
          ? files.get(id)?.name
          : kind === 'reusable-content'
            ? reusableContents.get(id)?.title
            : undefined;
    if (kind === 'page' && id !== '' && title === undefined) onUntitled?.(id);
    return title || (ref.kind === 'anchor' && !ref.page ? ref.anchor : labels[ref.kind]);
  };
}

/** Reads the titles of the anchors that references lead to, in one batch: undefined for those without one. */
async function readAnchorTitles(
  reader: ObjectReader,
  { claims, evaluation }: Pick<LabelSource, 'claims' | 'evaluation'>,
  refs: readonly ContentRef[],
  pages: ReadonlyMap<string, PageRecord>,
): Promise<(ref: ContentRef) => string | undefined> {
  // What visitors may not see is only left out by evaluating documents.
  const isReadable = claims === undefined || evaluation !== undefined;
  const targets = new Map<string, PageRecord>();
  for (const ref of refs) {
    const page = ref.kind === 'anchor' ? pages.get(targetOf(ref).id ?? '') : undefined;
    if (page?.document !== undefined && isReadable && targets.size < MAX_TITLED) targets.set(page.id, page);
  }
  const documents = await getDocuments(
    reader,
    [...targets.values()].flatMap(({ document = [] }) => document),
  );
  const titles = new Map<string, AnchorTitles>();
  for (const { id, document, variables } of targets.values()) {
    const stored = documents.get(document as string) as Document;
    const inputs = evaluation && { ...evaluation.inputs, page: { vars: variables ?? {} } };
    // guard: label-anchor-conditions
    const shown = inputs ? evaluateDocument(stored, inputs, evaluation.which) : stored;
    titles.set(id, anchorTitles(titledAnchorsIn(shown)));
  }
  return (ref) => (ref.kind === 'anchor' ? titles.get(targetOf(ref).id ?? '')?.(ref.anchor) : undefined);
}

/** Reads pages by id; for a visitor, without those hidden by their condition or that of an ancestor. */
async function visiblePages(
  snapshot: Snapshot,
  ids: ReadonlySet<string>,
  claims: Claims | undefined,
): Promise<ReadonlyMap<string, PageRecord>> {
  if (!claims) return snapshot.pages(ids);
  // guard: label-budget
  const evaluator = new ConditionEvaluator(claims);
  const shown = new Map<string, PageRecord>();
  for (const [id, line] of await snapshot.withAncestors(ids)) {
    const conditions = line.map(({ condition }) => condition);
    const page = line.at(-1);
    // guard: label-shown
    if (page && line[0]?.parent === null && evaluator.isShown(conditions)) shown.set(id, page);
  }
  return shown;
}

/** The kind and id of the target of a reference, without the id if it is in another space. */
function targetOf(ref: ContentRef): { kind: string; id?: string | undefined } {
  if ('space' in ref && ref.space !== undefined) return { kind: ref.kind };
  switch (ref.kind) {
    case 'page':
    case 'anchor':
      return { kind: 'page', id: ref.page };
    case 'file':
      return { kind: 'file', id: ref.file };
    case 'reusable-content':
      return { kind: 'reusable-content', id: ref.reusableContent };
    default:
      return { kind: ref.kind };
  }
}
