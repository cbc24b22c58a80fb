import { loadOrganization, type OrganizationAccess, type SpaceAccess } from '../access/load.query.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { indexContent, readRefs, readRefsTo } from '../content/link-index.operation.ts';
import { apiSourcesOf } from '../content/sources.query.ts';
import { notFound } from '../engine/errors.ts';
import { collectDocumentLinks, type DocumentRef } from '../engine/links/document-links.ts';
import {
  documentsOf,
  type LinkSource,
  linkSourceOfPage,
  linkSourceOfReusableContent,
  placesOf,
  type Referrer,
  type Usage,
  usagesOf,
} from '../engine/links/usages.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { type ComputedPages, computedPages, isReplaced } from '../engine/templates/computed-pages.ts';
import type { LinkPlace } from './links.api.ts';
import { type ResolvedReference, resolveReferences } from './targets.query.ts';

/** The content whose links are read, and the caller. */
export interface LinkedContent extends SpaceAccess {
  db: Db;
  actor: Actor;
  services: Services;
  viewer: Viewer;
  engine: Engine;
  snapshot: Snapshot;
}

/** The caller's access to the organization that the content belongs to. */
export async function readAccess({ db, actor, space }: LinkedContent): Promise<OrganizationAccess> {
  const access = await loadOrganization(db, actor, space.organization);
  // Anyone who may view a space is a member; the membership may have ended since it was loaded.
  if (!access) throw notFound('space');
  return access;
}

/** A target with its status and the places that refer to it. */
export interface CheckedLink extends Usage {
  found: ResolvedReference;
}

/** All pages of the content, with those that computed pages generate. */
const pagesOf = (content: LinkedContent): ComputedPages =>
  computedPages(content.snapshot, apiSourcesOf(content));

/** Whether the content has a page, stored or generated. */
export const hasPage = async (content: LinkedContent, id: string): Promise<boolean> =>
  (await content.snapshot.page(id)) !== undefined || (await pagesOf(content).subtree(id)) !== undefined;

/** The links of one page; undefined if there is no such page. */
export async function readPageLinks(
  content: LinkedContent,
  access: OrganizationAccess,
  id: string,
): Promise<CheckedLink[] | undefined> {
  const page = await content.snapshot.page(id);
  if (page) return checkLinks(content, access, [linkSourceOfPage(page)]);
  const pages = pagesOf(content);
  const node = await pages.subtree(id);
  if (!node) return undefined;
  return checkLinks(content, access, [linkSourceOfPage(node.page)], await refsOfGenerated(pages, node.page));
}

/** The references in the document of a generated page, which is neither stored nor indexed. */
const refsOfGenerated = async (
  pages: ComputedPages,
  { document }: PageRecord,
): Promise<Map<string, DocumentRef[]>> =>
  new Map(
    document === undefined
      ? []
      : [[document, collectDocumentLinks(await pages.document(document)).refs] as const],
  );

/** The links of the whole content. */
export const readAllLinks = async (
  content: LinkedContent,
  access: OrganizationAccess,
): Promise<CheckedLink[]> => checkLinks(content, access, await readHolders(content));

/** The places in a content that refer to one of its pages or files, in the order of their keys. */
export async function readBacklinks(
  content: LinkedContent,
  target: string,
): Promise<ReturnType<typeof placesOf>> {
  const { db, engine, snapshot } = content;
  const holders = await readHolders(content);
  // Documents stored before links were indexed may refer to it as well.
  await indexContent(db, engine, snapshot.root, documentsOf(holders));
  const [refs, list] = await Promise.all([readRefsTo(db, target), readGeneratedList(content, target)]);
  if (list) holders.push(linkSourceOfPage(list.page));
  return placesOf(holders, new Map([...refs, ...(list?.refs ?? [])]), content.space.id, target);
}

/** The generated page above a generated one, which lists it, with its references. */
async function readGeneratedList(content: LinkedContent, target: string) {
  if (await content.snapshot.page(target)) return undefined;
  const pages = pagesOf(content);
  const parent = (await pages.subtree(target))?.page.parent;
  const above = typeof parent === 'string' ? await pages.subtree(parent) : undefined;
  return above && { page: above.page, refs: await refsOfGenerated(pages, above.page) };
}

/** Everything that may contain references. */
async function readHolders({ snapshot }: LinkedContent): Promise<LinkSource[]> {
  const [pages, contents] = await Promise.all([snapshot.allPages(), snapshot.reusableContents()]);
  return [...pages.map(linkSourceOfPage), ...contents.map(linkSourceOfReusableContent)];
}

async function checkLinks(
  content: LinkedContent,
  access: OrganizationAccess,
  holders: readonly LinkSource[],
  generated?: ReadonlyMap<string, readonly DocumentRef[]>,
): Promise<CheckedLink[]> {
  const { db, actor, engine, snapshot, space, level, services } = content;
  const refs = generated ?? (await readRefs(db, engine, documentsOf(holders)));
  const usages = usagesOf(holders, refs, space.id);
  const app = services.urls.app();
  const found = await resolveReferences(
    {
      db,
      engine,
      services,
      snapshot,
      here: { space, level },
      user: actor.user.id,
      access,
      isInApp: (url) => url === app || url.startsWith(`${app}/`),
    },
    usages,
  );
  return usages.map((usage) => ({ ...usage, found: found.get(usage) as ResolvedReference }));
}

/** Reads what is needed to present each place. */
export async function readPlaces(
  content: LinkedContent,
  places: readonly Referrer[],
): Promise<Map<Referrer, LinkPlace>> {
  const { snapshot } = content;
  const pageIds = places.flatMap(({ kind, id }) => (kind === 'page' ? id : []));
  const hasContents = places.some(({ kind }) => kind === 'reusable-content');
  const [pages, paths, contents] = await Promise.all([
    snapshot.pages(pageIds),
    snapshot.paths(pageIds),
    hasContents ? snapshot.reusableContents() : [],
  ]);
  const generated = await pagesOf(content).generatedPages(
    pageIds.filter((page) => isReplaced(pages.get(page))),
  );
  const byId = new Map(contents.map((content) => [content.id, content]));
  const found = places.flatMap((place): [Referrer, LinkPlace][] => {
    const { kind, id, block } = place;
    if (kind === 'page') {
      const page = generated.get(id)?.page ?? pages.get(id);
      const path = generated.get(id)?.path ?? paths.get(id) ?? '';
      return page ? [[place, { kind, page, path, block }]] : [];
    }
    const content = byId.get(id);
    return content ? [[place, { kind, content }]] : [];
  });
  return new Map(found);
}
