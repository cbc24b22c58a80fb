/** Resolves the links of Markdown input: by path in the space, or by file as in git. */

import type { ContentRef } from '../document/document.ts';
import { createLinkResolver, type LinkTargets } from '../import/links.ts';
import { indexFiles } from '../import/locate.ts';
import { dirname, isFolderPage, joinPath, normalizePath } from '../import/paths.ts';
import { scanReferences } from '../import/references.ts';
import type { HrefOf, Resolve } from '../markdown/markdown.ts';
import { percentDecode } from '../percent-encoding.ts';
import { canonicalJson } from '../store/canonical.ts';
import type { ObjectReader } from '../store/objects.ts';
import { getValues, scanMany } from '../store/ordered-map.ts';
import { childRange, type PageRecord, type Root, readRoot, slugKey } from '../store/records.ts';
import { slugify } from '../store/slug.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';

/** Markdown that becomes the content of a page. */
export interface MarkdownSource {
  /** Id of the page. */
  page: string;
  markdown: string;
}

/** Options for reading one Markdown source: how its links are resolved, and the reverse. */
export interface LinkMapping {
  resolve: Resolve;
  hrefOf: HrefOf;
}

/** Links that mean the same anywhere: external URLs, anchors in the page, and references by id. */
const LOCATION_INDEPENDENT =
  /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|$)|^\/(?:spaces|pages|files|reusable-contents|users|collections|openapi)\/[A-Za-z0-9_-]+(?:[#@]|\/|$)/i;

/** The links of a text that may refer to a page or file by path; may include false positives. */
const pathLinks = (markdown: string): string[] =>
  [...scanReferences(markdown)].filter((href) => !LOCATION_INDEPENDENT.test(href));

/** Whether the meaning of a text depends on where the pages of the space are. */
export const hasPathLinks = (markdown: string): boolean => pathLinks(markdown).length > 0;

/**
 * Resolves the links of some pages' Markdown in the content under a root, which contains these pages. Links that are not
 * found stay URLs. Reads in batches, and all pages only where a page from git links to files.
 */
export async function resolveLinks(
  reader: ObjectReader,
  rootHash: string,
  sources: readonly MarkdownSource[],
): Promise<LinkMapping[]> {
  const root = await readRoot(reader, rootHash);
  const snapshot = await openSnapshot(reader, rootHash);
  const locations = await readLocations(reader, root, snapshot, sources);
  const links = sources.map(({ markdown }, index) =>
    pathLinks(markdown).map((href) => ({
      href,
      ...splitAnchor(href),
      paths: candidatePaths(href, locations[index] as PageLocation),
    })),
  );
  const found = await findPagesByPath(
    reader,
    root,
    links.flat().flatMap(({ paths }) => paths),
  );
  const usesGit = links.some((list, index) => list.length > 0 && locations[index]?.git !== undefined);
  const targets = usesGit ? await readGitTargets(snapshot) : undefined;

  return links.map((list, index) => {
    const git = locations[index]?.git;
    const byFile = targets && git ? fileResolver(targets, git) : () => undefined;
    const refs = new Map<string, ContentRef>();
    for (const { href, anchor, paths } of list) {
      const page = paths.map((path) => found.get(path)).find((id) => id !== undefined);
      const byPath = page === undefined ? undefined : refTo(page, anchor);
      const ref = href.startsWith('/') ? (byPath ?? byFile(href)) : (byFile(href) ?? byPath);
      if (ref) refs.set(href, ref);
    }
    return mappingOf(refs);
  });
}

/** The Markdown reader checks its result by writing it and reading it again, so references must lead back to links. */
function mappingOf(refs: ReadonlyMap<string, ContentRef>): LinkMapping {
  const hrefs = new Map([...refs].map(([href, ref]) => [canonicalJson(ref), href]));
  return { resolve: (href) => refs.get(href), hrefOf: (ref) => hrefs.get(canonicalJson(ref)) };
}

const refTo = (page: string, anchor: string | undefined): ContentRef =>
  anchor === undefined ? { kind: 'page', page } : { kind: 'anchor', page, anchor };

interface PageLocation {
  /** Slugs joined by "/". */
  path: string;
  hasPages: boolean;
  /** Its file, if it came from git. */
  git: string | undefined;
}

async function readLocations(
  reader: ObjectReader,
  root: Root,
  snapshot: Snapshot,
  sources: readonly MarkdownSource[],
): Promise<PageLocation[]> {
  const ids = sources.map(({ page }) => page);
  const [paths, pages, children] = await Promise.all([
    snapshot.paths(ids),
    snapshot.pages(ids),
    scanMany(
      reader,
      root.tree,
      ids.map((id) => ({ ...childRange(id), limit: 1 })),
    ),
  ]);
  return ids.map((id, index) => ({
    path: paths.get(id) ?? '',
    hasPages: (children[index] ?? []).length > 0,
    git: (pages.get(id) as PageRecord | undefined)?.git?.path,
  }));
}

function splitAnchor(href: string): { anchor: string | undefined } {
  const hash = href.indexOf('#');
  return { anchor: hash < 0 ? undefined : percentDecode(href.slice(hash + 1)) || undefined };
}

/**
 * The paths in the space that a link may mean, most likely first. In git, a page with pages below it is the README of a
 * folder and any other is a file beside its siblings; a path from the top is understood without its slash as well.
 */
function candidatePaths(href: string, { path, hasPages }: PageLocation): string[] {
  const written = percentDecode(href.replace(/[?#].*/s, ''));
  const bases = written.startsWith('/')
    ? ['']
    : hasPages
      ? [path, dirname(path), '']
      : [dirname(path), path, ''];
  const paths = bases.flatMap((base) => {
    const full = normalizePath(joinPath(base, pagePath(written)));
    return full ? [full.split('/').map(slugify).join('/')] : [];
  });
  return [...new Set(paths)];
}

/** The path of the page that a Markdown file stands for. */
function pagePath(file: string): string {
  if (isFolderPage(file)) return dirname(file);
  return file.replace(/\.(?:md|markdown)$/i, '');
}

/** The ids of the pages at some paths, in one batch a level. */
async function findPagesByPath(
  reader: ObjectReader,
  root: Root,
  paths: Iterable<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let open = [...new Set(paths)].map((path) => ({
    path,
    parent: null as string | null,
    rest: path.split('/'),
  }));
  while (open.length > 0) {
    const keys = open.map(({ parent, rest }) => slugKey(parent, rest[0] as string));
    const ids = await getValues(reader, root.slugs, keys);
    open = open.flatMap(({ path, rest }, index) => {
      const id = ids.get(keys[index] as string);
      if (typeof id !== 'string') return [];
      if (rest.length > 1) return [{ path, parent: id, rest: rest.slice(1) }];
      found.set(path, id);
      return [];
    });
  }
  return found;
}

async function readGitTargets(snapshot: Snapshot): Promise<LinkTargets> {
  const [pages, files, reusableContents] = await Promise.all([
    snapshot.allPages(),
    snapshot.files(),
    snapshot.reusableContents(),
  ]);
  const byPath = (records: readonly { id: string; git?: { path: string } }[]) =>
    new Map(records.flatMap(({ id, git }) => (git ? [[git.path, id] as const] : [])));
  const targets = { pages: byPath(pages), files: byPath(files), reusableContents: byPath(reusableContents) };
  const paths = Object.values(targets).flatMap((ids) => [...ids.keys()]);
  return { ...targets, index: indexFiles(paths, '') };
}

function fileResolver(targets: LinkTargets, from: string): (href: string) => ContentRef | undefined {
  return (href) => {
    let isBroken = false;
    const ref = createLinkResolver(targets, from, () => {
      isBroken = true;
    })(href);
    return isBroken ? undefined : ref;
  };
}
