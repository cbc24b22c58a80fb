/** What the Markdown of a page for readers of a site needs: the URLs on the site that it links to, and reusable contents. */

import { loadVisitedSpaces } from '../access/visited.query.ts';
import { placeOfPage } from '../addresses/places.ts';
import { publishedUrl } from '../addresses/published.ts';
import { readSitePaths } from '../addresses/site-paths.query.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Visitor } from '../base/principal.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { specOf } from '../engine/document/refs.ts';
import { runsScript } from '../engine/document/safe-href.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { collectDocumentLinks } from '../engine/links/document-links.ts';
import { canonicalJson, type Json } from '../engine/store/canonical.ts';
import { getDocument } from '../engine/store/documents.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import type { FileRecord, ReusableContentRecord } from '../engine/store/records.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { DocumentView, SiteMarkdownOptions } from '../engine/tasks/tasks.ts';
import { computedPages } from '../engine/templates/computed-pages.ts';
import { downloadPath } from '../response/downloads.ts';
import { publishedPath } from '../specs/published.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { readRefs } from './link-index.operation.ts';
import { apiSourcesOf } from './sources.query.ts';
import { visiblePages } from './visible-pages.ts';

/** The content of a space as a visitor reads it. */
interface VisitedContent {
  db: Db;
  services: Services;
  engine: Engine;
  visitor: Visitor;
  conditions: ConditionEvaluator;
  space: { id: string; organization: string };
  snapshot: Snapshot;
  /** Reads the document if it is generated, and so neither stored nor indexed; absent for any other. */
  generated?: ObjectReader | undefined;
}

/** Levels of reusable contents within each other that are included. */
const MAX_DEPTH = 8;

/** The URL for references to what the visitor may not see, or what has no URL on the site. */
export const DEAD_LINK = '#';

/**
 * Reads the URLs on the site of everything that a document refers to, itself or in the reusable contents that it includes.
 * @param evaluation how the expressions in reusable contents are evaluated
 */
export async function readSiteMarkdownOptions(
  content: VisitedContent,
  document: string,
  evaluation: DocumentView['evaluation'],
): Promise<SiteMarkdownOptions> {
  const [{ refs, contents }, site] = await Promise.all([
    readIncluded(content, document),
    readVisitedSite(content),
  ]);
  const hrefOf = await createHrefResolver(content, refs, site);
  const space = site.spaces.find(({ of }) => of.id === content.space.id);
  return {
    language: space?.of.language ?? null,
    hrefs: new Map(
      refs.flatMap((ref): [string, string][] => {
        const href = hrefOf(ref);
        return href === undefined ? [] : [[canonicalJson(ref as Json), href]];
      }),
    ),
    included: new Map(
      contents.map(({ id, document }) => [id, { document, ...(evaluation && { evaluation }) }]),
    ),
  };
}

/** All references, and the reusable contents among their targets, in one batch for each level. */
async function readIncluded(content: VisitedContent, document: string) {
  const { db, engine, space, snapshot } = content;
  const refs: ContentRef[] = [];
  const contents = new Map<string, ReusableContentRecord>();
  let documents = [document];
  for (let depth = 0; documents.length > 0 && depth <= MAX_DEPTH; depth++) {
    const read = depth === 0 ? await refsOf(content, document) : await readRefs(db, engine, documents);
    const found = [...read.values()].flat().map(({ ref }) => ref);
    for (const ref of found) refs.push(ref);
    const wanted = new Set(found.flatMap((ref) => includedId(ref, space.id) ?? []));
    const next = await snapshot.reusableContentsById([...wanted].filter((id) => !contents.has(id)));
    for (const [id, one] of next) contents.set(id, one);
    documents = [...next.values()].map((one) => one.document);
  }
  return { refs, contents: [...contents.values()] };
}

const refsOf = async ({ db, engine, generated }: VisitedContent, document: string) =>
  generated
    ? new Map([[document, collectDocumentLinks(await getDocument(generated, document)).refs]])
    : readRefs(db, engine, [document]);

const includedId = (ref: ContentRef, space: string): string | undefined =>
  ref.kind === 'reusable-content' && (ref.space ?? space) === space ? ref.reusableContent : undefined;

/** The space that a reference leads into, if it leads into one. */
const spaceIn = (ref: ContentRef, here: string): string | undefined =>
  'space' in ref
    ? (ref.space ?? here)
    : ref.kind === 'page' || ref.kind === 'anchor' || ref.kind === 'file'
      ? here
      : undefined;

/** Resolves references to URLs on the site, for a visitor; undefined for those that are written as they are stored. */
export const siteHrefResolver = async (
  content: Omit<VisitedContent, 'generated'>,
  refs: readonly ContentRef[],
): Promise<(ref: ContentRef) => string | undefined> =>
  createHrefResolver(content, refs, await readVisitedSite(content));

/** The spaces of the site that the visitor may read, and the paths of all, in one round trip. */
async function readVisitedSite({ db, visitor }: Pick<VisitedContent, 'db' | 'visitor'>) {
  const [spaces, paths] = await Promise.all([
    loadVisitedSpaces(db, visitor),
    readSitePaths(db, visitor.site),
  ]);
  return { spaces, paths };
}

async function createHrefResolver(
  content: VisitedContent,
  refs: readonly ContentRef[],
  { spaces: visited, paths }: Awaited<ReturnType<typeof readVisitedSite>>,
) {
  const { db, services, space: here } = content;
  const specs = await readPublicSpecs(content, refs);
  const wanted = new Set(refs.flatMap((ref) => spaceIn(ref, here.id) ?? []));
  const linked = visited.filter(({ of }) => wanted.has(of.id));
  const spaces = await Promise.all(
    linked.map(async ({ of, conditions }) => {
      const snapshot = of.id === here.id ? content.snapshot : await openSnapshot(objectReader(db), of.root);
      const inside = refs.filter((ref) => spaceIn(ref, here.id) === of.id);
      const found = await readTargets({ ...content, space: of, conditions, snapshot }, inside);
      const at = (page?: string) =>
        of.place &&
        publishedUrl(services.urls, of.place, {
          ...placeOfPage(of.place, page, paths),
          shareKey: of.shareKey ?? undefined,
        });
      return [of.id, { ...found, at }] as const;
    }),
  );
  const bySpace = new Map(spaces);
  const now = Date.now();
  const download = ({ sha256, name, contentType }: FileRecord) =>
    services.urls.absolute(downloadPath(services.signer, { sha256, name, contentType }, now));

  /** Undefined for references that are written as they are stored. */
  return (ref: ContentRef): string | undefined => {
    // guard: site-markdown-scripts
    if (ref.kind === 'url') return runsScript(ref.url) ? DEAD_LINK : undefined;
    if (ref.kind === 'anchor' && ref.page === undefined) return undefined;
    if (ref.kind === 'openapi') {
      const slug = specs.get(specOf(ref).spec);
      return slug === undefined
        ? DEAD_LINK
        : services.urls.absolute(publishedPath({ organization: here.organization, slug }));
    }
    const target = bySpace.get(spaceIn(ref, here.id) ?? '');
    if (!target) return DEAD_LINK;
    switch (ref.kind) {
      case 'space':
        return target.at() ?? DEAD_LINK;
      case 'file': {
        const file = target.files.get(ref.file);
        return file ? download(file) : DEAD_LINK;
      }
      case 'page':
      case 'anchor': {
        const url = target.urls.get(ref.page ?? '');
        if (url !== undefined) return url;
        const path = target.paths.get(ref.page ?? '');
        const address = path === undefined ? null : target.at(path);
        if (address === null) return DEAD_LINK;
        return ref.kind === 'anchor' ? `${address}#${encodeURIComponent(ref.anchor)}` : address;
      }
      default:
        return DEAD_LINK;
    }
  };
}

/** The slugs of the public OpenAPI specs among the targets, by the slugs and ids that name them. */
async function readPublicSpecs(
  { db, space: { organization } }: VisitedContent,
  refs: readonly ContentRef[],
): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(refs.flatMap((ref) => (ref.kind === 'openapi' ? specOf(ref).spec : [])))];
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('openapi_spec')
    .select(['id', 'slug'])
    .where('organization_id', '=', organization)
    // guard: site-markdown-public-specs
    .where('visibility', '=', 'public')
    .where((eb) => eb.or([eb('slug', '=', sqlAny(names)), eb('id', '=', sqlAny(names))]))
    .execute();
  return new Map(rows.flatMap(({ id, slug }) => [id, slug].map((name) => [name, slug] as const)));
}

/**
 * The files and the pages visible to the visitor that references into one space lead to: the paths of pages, and the URLs that
 * links in the table of contents lead to.
 */
async function readTargets(
  content: Omit<VisitedContent, 'visitor' | 'generated'>,
  refs: readonly ContentRef[],
) {
  const { snapshot, conditions } = content;
  const pageIds = refs.flatMap((ref) => ('page' in ref ? (ref.page ?? []) : []));
  const fileIds = refs.flatMap((ref) => (ref.kind === 'file' ? ref.file : []));
  const [lines, stored, files] = await Promise.all([
    snapshot.withAncestors(pageIds),
    snapshot.paths(pageIds),
    snapshot.filesById(fileIds),
  ]);
  const paths = new Map<string, string>();
  const urls = new Map<string, string>();
  for (const [id, line] of lines) {
    const isWhole = line[0]?.parent === null;
    // guard: site-markdown-pages
    if (!isWhole || !conditions.isShown(line.map(({ condition }) => condition))) continue;
    const { type, target } = line.at(-1) ?? {};
    // Links have no path.
    if (type !== 'link') paths.set(id, stored.get(id) ?? '');
    else if (target?.kind === 'url' && !runsScript(target.url)) urls.set(id, target.url);
  }
  const missing = pageIds.filter((id) => !lines.has(id));
  const computed = computedPages(snapshot, apiSourcesOf(content));
  const made = await computed.generatedPages(missing);
  const visible = visiblePages(snapshot, computed, conditions);
  const nodes = await Promise.all([...made.keys()].map((id) => visible.subtree(id)));
  for (const node of nodes) if (node) paths.set(node.page.id, node.path);
  return { paths, urls, files };
}
