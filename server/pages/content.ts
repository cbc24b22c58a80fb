import { LRUCache } from 'lru-cache';
import { runInTurns } from '../../routers/base/run-in-turns.ts';
import type { BlockNode, ContentRef } from '../../routers/engine/document/document.ts';
import { asRef, isBrokenLink } from '../../routers/engine/document/refs.ts';
import { emojiCharacters } from '../../routers/engine/emoji.ts';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { Html, html } from '../http/html.ts';
import { loadAnchorTitles, titledByAnchor } from './anchor-titles.ts';
import { diffReusableBlocks } from './change-request-preview.ts';
import { apiBlock } from './document/api.ts';
import type { DiffBlock, Embedded, ResolvedResources, Target } from './document/render-context.ts';
import { collectResources, newResources, type Resources, refKey } from './document/resources.ts';
import type { Highlighter } from './highlight/highlighter.ts';
import { type Outcome, type Task, type Tokens, taskKey } from './highlight/protocol.ts';
import { icon } from './icons.ts';
import type { Texts } from './languages/texts.ts';
import { firstDocument, indexPages, type PageIndex } from './page-index.ts';
import { readFileSpec, readSpec } from './specs.ts';
import type { PlacedSpace } from './structure.ts';
import { findPlacedSpace, ifVisible, pageHref, type Visit } from './visit.ts';

/** How long a page waits for highlighted code and formulas, in milliseconds; the browser requests late ones again. */
const HIGHLIGHT_WAIT = 100;

/** Maximum depth of reusable contents within each other. */
const MAX_REUSE = 4;

/** Maximum number of files whose OpenAPI documents one page shows: each may take seconds to parse. */
const MAX_FILE_SPECS = 10;

/** Maximum number of pages in cached page trees. */
const MAX_CACHED_PAGES = 50_000;

/** How long to cache trees with computed pages, which change without a new revision, in milliseconds. */
const LIVE_TTL = 15_000;

const trees = new LRUCache<string, PageIndex>({
  maxSize: MAX_CACHED_PAGES,
  sizeCalculation: ({ count }) => count + 1,
});

const memberTrees = new WeakMap<Visit['call'], Map<string, Promise<PageIndex>>>();

/** The pages of a space that the visitor can open, hidden ones included. */
export async function loadPageIndex(visit: Visit, { siteSpace: { space } }: PlacedSpace): Promise<PageIndex> {
  const { published, contextId = '', isPreview, isMember } = visit;
  if (isMember) return loadMemberPageIndex(visit, space);
  // guard: page-list-cache-claims
  const key = [published?.site.id, space.id, space.revision, contextId, isPreview].join(' ');
  const cached = trees.get(key);
  if (cached) return cached;
  const index = await readPages(visit, space);
  trees.set(key, index, { ttl: index.isLive ? LIVE_TTL : 0 });
  return index;
}

async function readPages({ call }: Visit, { id, revision }: { id: string; revision: string }) {
  const { pages } = await call.revisions.pages({ spaceId: id, revisionId: revision });
  return runInTurns(indexPages(pages));
}

/** Members see pages by their own permissions, so their trees are read once per request and not shared. */
function loadMemberPageIndex(visit: Visit, space: { id: string; revision: string }): Promise<PageIndex> {
  const read = memberTrees.get(visit.call) ?? new Map<string, Promise<PageIndex>>();
  memberTrees.set(visit.call, read);
  const pages = read.get(space.id) ?? readPages(visit, space);
  read.set(space.id, pages);
  return pages;
}

/** The icon or emoji of a page, a section or the like. */
export const iconOf = ({ emoji, icon: name }: { emoji?: string | undefined; icon?: string | undefined }) => {
  if (emoji !== undefined)
    return html`<span class="emoji" aria-hidden="true">${emojiCharacters(emoji)}</span>`;
  return name === undefined ? undefined : icon(name);
};

export interface PreparedDocument {
  resources: ResolvedResources;
  /** Whether all highlighted code and formulas were ready in time. */
  isComplete: boolean;
  /** Whether it contains embeds or API blocks, which change without a new revision. */
  isLive: boolean;
}

/** Loads everything that is needed to render a document. */
export async function prepareDocument(
  visit: Visit,
  nodes: readonly BlockNode[],
  { highlighter, texts, locale }: { highlighter: Highlighter; texts: Texts; locale: string },
): Promise<PreparedDocument> {
  const found = newResources();
  collectResources(nodes, found);
  const reusable = await loadAllReusable(visit, found);
  const shown = [...nodes, ...[...reusable.values()].flat().map(({ node }) => node)];
  const [targets, titleOfAnchor, embeds, specs, outcomesSoFar] = await Promise.all([
    mapValues(found.refs, (ref) => resolveTarget(visit, ref)),
    loadAnchorTitles(visit, [...found.titled.values()], shown),
    mapValues(new Map([...found.embeds].map((url) => [url, url])), (url) => loadEmbed(visit, url)),
    mapValues(specRefsIn(found), (ref) => loadSpec(visit, ref)),
    outcomesInTime(found.texts, (task) => highlighter.render(task, visit.organization)),
  ]);
  // A snapshot: what arrives later must not make the page inconsistent with `isComplete`.
  const outcomes = new Map(outcomesSoFar);
  return {
    isComplete: found.texts.every((task) => outcomes.has(taskKey(task))),
    isLive: found.embeds.size > 0 || found.api.length > 0,
    resources: {
      texts,
      locale,
      linksOpen: visit.customization.externalLinks.target,
      target: (ref) => titledByAnchor(targets.get(refKey(ref)), ref, titleOfAnchor(ref)),
      tokens: (syntax, text) => {
        const tokens = outcomes.get(taskKey({ kind: 'code', syntax, text }));
        return typeof tokens === 'string' ? undefined : ((tokens ?? undefined) as Tokens | undefined);
      },
      formula: (text, isBlock) => {
        const formula = outcomes.get(taskKey({ kind: 'formula', text, isBlock }));
        return typeof formula === 'string' ? new Html(formula) : undefined;
      },
      embed: (url) => embeds.get(url),
      reusable: (ref) => reusable.get(refKey(ref)),
      api: (block, origins, isBrief) => {
        const ref = asRef(block.data?.ref);
        const spec = ref && !isBrief ? specs.get(specKey(ref)) : undefined;
        if (ref?.kind === 'openapi' && !spec && !isBrief) return undefined;
        return apiBlock(block, spec, texts, origins, ref && targets.get(refKey(ref)));
      },
    },
  };
}

type SpecRef = Extract<ContentRef, { kind: 'openapi' | 'file' }>;

const slugOf = (spec: string) => spec.split('@')[0] as string;

/** Identifies what a block shows a part of: pages show the latest version, whichever a reference names. */
const specKey = (ref: ContentRef): string => (ref.kind === 'openapi' ? slugOf(ref.spec) : refKey(ref));

/** The OpenAPI specs that blocks show, by their keys; only some of those in files. */
function specRefsIn({ api }: Resources): Map<string, SpecRef> {
  const specs = new Map<string, SpecRef>();
  let files = 0;
  for (const { data } of api) {
    const ref = asRef(data?.ref);
    if ((ref?.kind !== 'openapi' && ref?.kind !== 'file') || specs.has(specKey(ref))) continue;
    // guard: page-file-specs
    if (ref.kind === 'file' && ++files > MAX_FILE_SPECS) continue;
    specs.set(specKey(ref), ref);
  }
  return specs;
}

async function loadSpec(visit: Visit, ref: SpecRef): Promise<Spec | undefined> {
  if (ref.kind === 'openapi') return readSpec(visit, slugOf(ref.spec));
  const placed = findPlacedSpace(visit, ref.space);
  if (!placed) return undefined;
  const { id: spaceId, revision: revisionId } = placed.siteSpace.space;
  return readFileSpec(visit, { spaceId, revisionId, fileId: ref.file });
}

async function mapValues<Key, Value, Result>(
  values: ReadonlyMap<Key, Value>,
  read: (value: Value) => Promise<Result | undefined>,
): Promise<Map<Key, Result>> {
  const results = new Map<Key, Result>();
  const add = async (key: Key, value: Value) => {
    const result = await read(value);
    if (result !== undefined) results.set(key, result);
  };
  await Promise.all([...values].map(([key, value]) => add(key, value)));
  return results;
}

/** The outcomes that are ready in time, by key; more may be added later. */
async function outcomesInTime(
  texts: readonly Task[],
  process: (task: Task) => Promise<Outcome | undefined>,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const work = texts.map(async (task) => {
    const outcome = await process(task);
    if (outcome !== undefined) outcomes.set(taskKey(task), outcome);
  });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, HIGHLIGHT_WAIT);
    Promise.all(work)
      .then(() => resolve(), reject)
      .finally(() => clearTimeout(timer));
  });
  return outcomes;
}

/** Loads the documents of reusable contents, nested ones included, and adds the resources that they need to `found`. */
async function loadAllReusable(visit: Visit, found: Resources): Promise<Map<string, readonly DiffBlock[]>> {
  const documents = new Map<string, readonly DiffBlock[]>();
  for (let round = 0; round < MAX_REUSE; round += 1) {
    const missing = [...found.reusable].filter(([key]) => !documents.has(key));
    if (missing.length === 0) break;
    const read = await mapValues(new Map(missing), (ref) => loadReusable(visit, ref));
    for (const [key] of missing) {
      const blocks = read.get(key) ?? [];
      documents.set(key, blocks);
      collectResources(
        blocks.map(({ node }) => node),
        found,
      );
    }
  }
  return documents;
}

async function loadReusable(visit: Visit, ref: ContentRef): Promise<readonly DiffBlock[] | undefined> {
  if (ref.kind !== 'reusable-content') return undefined;
  const placed = findPlacedSpace(visit, ref.space);
  if (!placed) return undefined;
  const { id: spaceId, revision: revisionId } = placed.siteSpace.space;
  const { reusableContent: reusableContentId } = ref;
  const document = await ifVisible(
    visit.call.revisions.reusableContentDocument({ spaceId, revisionId, reusableContentId }),
  );
  const nodes = document?.nodes as readonly BlockNode[] | undefined;
  const diff = placed === visit.place ? await diffReusableBlocks(visit, reusableContentId, nodes) : undefined;
  return diff ?? nodes?.map((node) => ({ node }));
}

async function loadEmbed({ call, place }: Visit, url: string): Promise<Embedded | undefined> {
  const { id: spaceId, revision } = place.siteSpace.space;
  return ifVisible(call.embeds.get({ spaceId, url: url.slice(0, 4096), revision }));
}

export async function resolveTarget(visit: Visit, ref: ContentRef): Promise<Target | undefined> {
  switch (ref.kind) {
    case 'url':
      return isBrokenLink(ref.url) ? undefined : urlTarget(visit, ref.url);
    case 'file':
      return fileTarget(visit, ref);
    case 'page':
      return pageTarget(visit, ref.space, ref.page);
    case 'anchor': {
      const hash = `#${encodeURIComponent(ref.anchor)}`;
      if (ref.page === undefined) return { href: hash, title: ref.anchor };
      const target = await pageTarget(visit, ref.space, ref.page);
      return target?.href === undefined ? target : { ...target, href: target.href + hash };
    }
    case 'space': {
      const placed = findPlacedSpace(visit, ref.space);
      if (!placed) return undefined;
      const { title, space } = placed.siteSpace;
      return { href: pageHref(visit, placed, undefined), title, icon: iconOf(space) };
    }
    default:
      return undefined;
  }
}

function urlTarget({ absoluteBase }: Visit, url: string): Target {
  const parsed = URL.parse(url);
  const title = parsed ? `${parsed.host}${parsed.pathname}`.replace(/\/$/, '') : url;
  return { href: url, title: title || url, isExternal: parsed !== null && !url.startsWith(absoluteBase) };
}

async function fileTarget(
  visit: Visit,
  { file: fileId, space }: Extract<ContentRef, { kind: 'file' }>,
): Promise<Target | undefined> {
  const placed = findPlacedSpace(visit, space);
  if (!placed) return undefined;
  const { id: spaceId, revision: revisionId } = placed.siteSpace.space;
  const file = await ifVisible(visit.call.revisions.file({ spaceId, revisionId, fileId }));
  if (!file) return undefined;
  const { name, contentType, size, dimensions, downloadURL } = file;
  return { href: downloadURL, title: name, file: { contentType, size, ...dimensions } };
}

async function pageTarget(visit: Visit, space: string | undefined, id: string): Promise<Target | undefined> {
  const placed = findPlacedSpace(visit, space);
  if (!placed) return undefined;
  const index = await loadPageIndex(visit, placed);
  const indexed = index.byId.get(id);
  if (!indexed) return undefined;
  const { page } = indexed;
  const document = firstDocument(indexed, index);
  const href = document && pageHref(visit, placed, document === index.first ? '' : document.page.path);
  return {
    href: page.type === 'link' ? page.href : href,
    title: page.title,
    description: page.description,
    icon: iconOf(page),
  };
}
