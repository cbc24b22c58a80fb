/** Resolves the links in Markdown input: by path in the space, or by file path as in git. */

import type { ContentRef } from '../document/document.ts';
import { createLinkResolver, type LinkTargets } from '../import/links.ts';
import { indexFiles } from '../import/locate.ts';
import { dirname, isFolderPage, joinPath, normalizePath } from '../import/paths.ts';
import { scanReferences } from '../import/references.ts';
import type { HrefOf, Resolve } from '../markdown/markdown.ts';
import { percentDecode } from '../percent-encoding.ts';
import { canonicalJson } from '../store/canonical.ts';
import { computedSourceOf } from '../store/computed-source.ts';
import type { ObjectReader } from '../store/objects.ts';
import { getValues, scanMany } from '../store/ordered-map.ts';
import { childRange, type PageRecord, type Root, readRoot, slugKey } from '../store/records.ts';
import { pathSlug } from '../store/slug.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';

/** Markdown that becomes the content of a page. */
export interface MarkdownSource {
  /** Id of the page. */
  page: string;
  markdown: string;
}

/** Maps the links of one Markdown source to references, and back. */
export interface LinkMapping {
  resolve: Resolve;
  hrefOf: HrefOf;
}

/** Paths below a computed page, at which pages may be generated. */
export interface GeneratedPaths {
  /** The id of the computed page, and its source. */
  computed: string;
  source: NonNullable<ReturnType<typeof computedSourceOf>>;
  /** Slugs joined by "/", from the computed page, without duplicates. */
  paths: readonly string[];
}

/** Identifies a path below a computed page of one space. */
export const generatedPathKey = (computed: string, path: string): string => `${computed}/${path}`;

/** Finds the ids of the generated pages at some paths, by {@link generatedPathKey}. */
export type FindGenerated = (below: readonly GeneratedPaths[]) => Promise<ReadonlyMap<string, string>>;

/** For content without computed pages. */
export const NO_GENERATED: FindGenerated = async () => new Map();

/** Matches links that mean the same on any page: external URLs, anchors on the page itself, and references by id. */
const LOCATION_INDEPENDENT =
  /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|$)|^\/(?:spaces|pages|files|reusable-contents|users|collections|openapi)\/[A-Za-z0-9_-]+(?:[#@]|\/|$)/i;

/** The links in a text that may refer to a page or file by path, possibly with false positives. */
const pathLinks = (markdown: string): string[] =>
  [...scanReferences(markdown)].filter((href) => !LOCATION_INDEPENDENT.test(href));

/** Whether a text may have links that depend on the paths of pages. */
export const hasPathLinks = (markdown: string): boolean => pathLinks(markdown).length > 0;

/**
 * Resolves the links in the Markdown of pages, in the content under a root that contains these pages. Links that cannot be
 * resolved stay URLs. Reads in batches; reads all pages only if a page from git has such links, and calls `findGenerated` only
 * if a link leads below a computed page.
 */
export async function resolveLinks(
  reader: ObjectReader,
  rootHash: string,
  sources: readonly MarkdownSource[],
  findGenerated: FindGenerated = NO_GENERATED,
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
  const wanted = links.flat().flatMap(({ paths }) => paths);
  const { found, open } = await findPagesByPath(reader, root, wanted);
  for (const [path, id] of await findGeneratedPages(snapshot, open, findGenerated)) found.set(path, id);
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

/** The Markdown parser checks its result by a round trip, so references must map back to the links. */
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
  /** The path of its file, if it came from git. */
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
 * The paths in the space that a link may mean, most likely first. In git, a page with children is the README of a folder
 * and any other page is a file next to its siblings. A path from the top level may lack its leading slash.
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
    return full ? [full] : [];
  });
  const slugs = paths.map((one) => one.split('/').map(pathSlug).join('/'));
  // Stored slugs may have a form that slugs no longer get.
  return [...new Set([...slugs, ...paths])];
}

/** The path of the page that a Markdown file becomes. */
function pagePath(file: string): string {
  if (isFolderPage(file)) return dirname(file);
  return file.replace(/\.(?:md|markdown)$/i, '');
}

/** A path of which only a part leads to a stored page. */
interface OpenPath {
  path: string;
  /** The id of that page, and the rest of the path. */
  parent: string;
  rest: string;
}

/** Finds the ids of pages by path, in one batch per level. */
async function findPagesByPath(
  reader: ObjectReader,
  root: Root,
  paths: Iterable<string>,
): Promise<{ found: Map<string, string>; open: OpenPath[] }> {
  const found = new Map<string, string>();
  const stuck: OpenPath[] = [];
  let open = [...new Set(paths)].map((path) => ({
    path,
    parent: null as string | null,
    rest: path.split('/'),
  }));
  while (open.length > 0) {
    const keys = open.map(({ parent, rest }) => slugKey(parent, rest[0] as string));
    const ids = await getValues(reader, root.slugs, keys);
    open = open.flatMap(({ path, parent, rest }, index) => {
      const id = ids.get(keys[index] as string);
      if (typeof id !== 'string') {
        if (parent !== null) stuck.push({ path, parent, rest: rest.join('/') });
        return [];
      }
      if (rest.length > 1) return [{ path, parent: id, rest: rest.slice(1) }];
      found.set(path, id);
      return [];
    });
  }
  return { found, open: stuck };
}

/** The ids of the pages generated at those paths that lead below computed pages, by path. */
async function findGeneratedPages(
  snapshot: Snapshot,
  open: readonly OpenPath[],
  findGenerated: FindGenerated,
): Promise<Map<string, string>> {
  const byParent = Map.groupBy(open, ({ parent }) => parent);
  const parents = await snapshot.pages(byParent.keys());
  const below = [...byParent].flatMap(([computed, paths]): GeneratedPaths[] => {
    const page = parents.get(computed);
    const source = page && computedSourceOf(page);
    return source ? [{ computed, source, paths: [...new Set(paths.map(({ rest }) => rest))] }] : [];
  });
  if (below.length === 0) return new Map();
  const ids = await findGenerated(below);
  return new Map(
    open.flatMap(({ path, parent, rest }) => {
      const id = ids.get(generatedPathKey(parent, rest));
      return id === undefined ? [] : [[path, id]];
    }),
  );
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
