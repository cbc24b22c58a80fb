import { LRUCache } from 'lru-cache';
import type { BlockNode, ContentRef } from '../../routers/engine/document/document.ts';
import { Html, html } from '../http/html.ts';
import { apiBlock } from './document/api.ts';
import { emojiOf } from './document/inlines.ts';
import { collectResources, newResources, type Resources, refKey } from './document/resources.ts';
import type { DocumentView, Embedded, Target } from './document/view.ts';
import type { Highlighter } from './highlight/highlighter.ts';
import { type Outcome, type Task, type Tokens, taskKey } from './highlight/protocol.ts';
import { icon } from './icons.ts';
import type { Texts } from './languages/texts.ts';
import { firstDocument, indexPages, type PageIndex } from './page-index.ts';
import { readSpec } from './specs.ts';
import type { PlacedSpace } from './structure.ts';
import { orNothing, pageHref, type Visit } from './visit.ts';

/** How long a page waits for colours and formulas, in milliseconds: what comes later, its reader's browser asks for again. */
const PATIENCE = 100;

/** How deep reusable contents are looked for in each other. */
const MAX_REUSE = 4;

/** Pages whose trees are kept. */
const MAX_KEPT_PAGES = 50_000;

/** Pages that are made from other sources change without a revision: so long until that is seen, in milliseconds. */
const TREE_AGE = 15_000;

const trees = new LRUCache<string, PageIndex>({
  maxSize: MAX_KEPT_PAGES,
  sizeCalculation: ({ count }) => count + 1,
});

const memberTrees = new WeakMap<Visit['call'], Map<string, Promise<PageIndex>>>();

/** The pages of a space of the site, as its visitor is shown them. */
export async function pagesOf(visit: Visit, { siteSpace: { space } }: PlacedSpace): Promise<PageIndex> {
  const { published, contextId = '', isPreview, isMember } = visit;
  if (isMember) return pagesOfMember(visit, space);
  const key = [published?.site.id, space.id, space.revision, contextId, isPreview].join(' ');
  const kept = trees.get(key);
  if (kept) return kept;
  const index = await readPages(visit, space);
  trees.set(key, index, { ttl: index.isLive ? TREE_AGE : 0 });
  return index;
}

async function readPages({ call }: Visit, { id, revision }: { id: string; revision: string }) {
  const { pages } = await call.revisions.pages({ spaceId: id, revisionId: revision });
  return indexPages(pages);
}

/** What members are shown is their own: it is read once for each request. */
function pagesOfMember(visit: Visit, space: { id: string; revision: string }): Promise<PageIndex> {
  const read = memberTrees.get(visit.call) ?? new Map<string, Promise<PageIndex>>();
  memberTrees.set(visit.call, read);
  const pages = read.get(space.id) ?? readPages(visit, space);
  read.set(space.id, pages);
  return pages;
}

/** The icon or the emoji of a page, a section and the like. */
export const signOf = ({ emoji, icon: name }: { emoji?: string | undefined; icon?: string | undefined }) => {
  if (emoji !== undefined) return html`<span class="emoji" aria-hidden="true">${emojiOf(emoji)}</span>`;
  return name === undefined ? undefined : icon(name);
};

export interface Prepared {
  view: DocumentView;
  /** Whether all colours and formulas came in time. */
  isComplete: boolean;
  /** Whether it shows what changes without a revision of the site's spaces. */
  isLive: boolean;
}

/** Reads everything that the documents of a page need to be drawn. */
export async function prepare(
  visit: Visit,
  nodes: readonly BlockNode[],
  { highlighter, texts, locale }: { highlighter: Highlighter; texts: Texts; locale: string },
): Promise<Prepared> {
  const found = newResources();
  collectResources(nodes, found);
  const reusable = await readReusable(visit, found);
  const [targets, embeds, specs, late] = await Promise.all([
    mapped(found.refs, (ref) => targetOf(visit, ref)),
    mapped(new Map([...found.embeds].map((url) => [url, url])), (url) => embedOf(visit, url)),
    mapped(specsIn(found), (slug) => readSpec(visit, slug)),
    madeInTime(found.texts, (task) => highlighter.make(task, visit.organization)),
  ]);
  // Only what is here now counts: a page has all of it, or is told to be without.
  const made = new Map(late);
  return {
    isComplete: found.texts.every((task) => made.has(taskKey(task))),
    isLive: found.embeds.size > 0 || found.api.length > 0,
    view: {
      texts,
      locale,
      linksOpen: visit.customization.externalLinks.target,
      target: (ref) => targets.get(refKey(ref)) ?? { title: '' },
      tokens: (syntax, text) => {
        const tokens = made.get(taskKey({ kind: 'code', syntax, text }));
        return typeof tokens === 'string' ? undefined : ((tokens ?? undefined) as Tokens | undefined);
      },
      formula: (text, isBlock) => {
        const formula = made.get(taskKey({ kind: 'formula', text, isBlock }));
        return typeof formula === 'string' ? new Html(formula) : undefined;
      },
      embed: (url) => embeds.get(url),
      reusable: (ref) => reusable.get(refKey(ref)),
      api: (block, origins) => {
        const ref = block.data?.ref as ContentRef | undefined;
        const spec = ref?.kind === 'openapi' ? specs.get(slugOf(ref.spec)) : undefined;
        return apiBlock(block, spec, texts, origins);
      },
    },
  };
}

const slugOf = (spec: string) => spec.split('@')[0] as string;

const specsIn = ({ api }: Resources): Map<string, string> => {
  const slugs = api.flatMap(({ data }) => {
    const ref = data?.ref as ContentRef | undefined;
    return ref?.kind === 'openapi' ? slugOf(ref.spec) : [];
  });
  return new Map(slugs.map((slug) => [slug, slug]));
};

async function mapped<Key, Value, Result>(
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

/** What is made of texts before the patience ends, by their keys; more may follow. */
async function madeInTime(
  texts: readonly Task[],
  make: (task: Task) => Promise<Outcome | undefined>,
): Promise<ReadonlyMap<string, Outcome>> {
  const made = new Map<string, Outcome>();
  const work = texts.map(async (task) => {
    const outcome = await make(task);
    if (outcome !== undefined) made.set(taskKey(task), outcome);
  });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, PATIENCE);
    Promise.all(work)
      .then(() => resolve(), reject)
      .finally(() => clearTimeout(timer));
  });
  return made;
}

/** The documents of reusable contents, and of those in them; what they need is added to what was found. */
async function readReusable(visit: Visit, found: Resources): Promise<Map<string, readonly BlockNode[]>> {
  const documents = new Map<string, readonly BlockNode[]>();
  for (let round = 0; round < MAX_REUSE; round += 1) {
    const missing = [...found.reusable].filter(([key]) => !documents.has(key));
    if (missing.length === 0) break;
    const read = await mapped(new Map(missing), (ref) => reusableOf(visit, ref));
    for (const [key] of missing) {
      const nodes = read.get(key) ?? [];
      documents.set(key, nodes);
      collectResources(nodes, found);
    }
  }
  return documents;
}

async function reusableOf(visit: Visit, ref: ContentRef): Promise<readonly BlockNode[] | undefined> {
  if (ref.kind !== 'reusable-content') return undefined;
  const placed = placeOf(visit, ref.space);
  if (!placed) return undefined;
  const { id: spaceId, revision: revisionId } = placed.siteSpace.space;
  const { reusableContent: reusableContentId } = ref;
  const document = await orNothing(
    visit.call.revisions.reusableContentDocument({ spaceId, revisionId, reusableContentId }),
  );
  return document?.nodes as readonly BlockNode[] | undefined;
}

/** The site space with a space; the current one without a name, or if it has the space as well. */
function placeOf({ spaces, place }: Visit, space: string | undefined): PlacedSpace | undefined {
  if (space === undefined || place.siteSpace.space.id === space) return place;
  return spaces.find(({ siteSpace }) => siteSpace.space.id === space);
}

async function embedOf({ call, place }: Visit, url: string): Promise<Embedded | undefined> {
  return orNothing(call.embeds.get({ spaceId: place.siteSpace.space.id, url: url.slice(0, 4096) }));
}

export async function targetOf(visit: Visit, ref: ContentRef): Promise<Target | undefined> {
  switch (ref.kind) {
    case 'url':
      return urlTarget(visit, ref.url);
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
      const placed = placeOf(visit, ref.space);
      if (!placed) return undefined;
      const { title, space } = placed.siteSpace;
      return { href: pageHref(visit, placed, undefined), title, icon: signOf(space) };
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
  const placed = placeOf(visit, space);
  if (!placed) return undefined;
  const { id: spaceId, revision: revisionId } = placed.siteSpace.space;
  const file = await orNothing(visit.call.revisions.file({ spaceId, revisionId, fileId }));
  if (!file) return undefined;
  const { name, contentType, size, dimensions, downloadURL } = file;
  return { href: downloadURL, title: name, file: { contentType, size, ...dimensions } };
}

async function pageTarget(visit: Visit, space: string | undefined, id: string): Promise<Target | undefined> {
  const placed = placeOf(visit, space);
  if (!placed) return undefined;
  const index = await pagesOf(visit, placed);
  const indexed = index.byId.get(id);
  if (!indexed) return undefined;
  const { page } = indexed;
  const document = firstDocument(indexed, index);
  const href = document && pageHref(visit, placed, document === index.first ? '' : document.page.path);
  return {
    href: page.type === 'link' ? page.href : href,
    title: page.title,
    description: page.description,
    icon: signOf(page),
  };
}
