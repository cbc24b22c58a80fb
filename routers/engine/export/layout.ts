/** The paths of the content of a space in its repository. */

import {
  CONFIG_PATH,
  type ImportConfig,
  NO_CONFIG,
  parseSettings,
  VARIABLES_PATH,
} from '../import/config.ts';
import { dirname, isFolderPage, joinPath, stem } from '../import/paths.ts';
import { ImportError } from '../import/source.ts';
import type { FileRecord, ReusableContentRecord } from '../store/records.ts';
import { slugify } from '../store/slug.ts';
import type { PageNode } from '../store/snapshot.ts';
import { createPathAllocator, type PathAllocator, safeName } from './file-names.ts';
import { normalizeLineEndings } from './line-endings.ts';

/** The paths of the files of an export: plain data, so that pages can be written in any process. */
export interface Layout {
  /** Folder of the documentation, `''` for the top. */
  root: string;
  settings: string;
  summary: string;
  variables: string;
  /** The path of the first page, if the settings specify it. */
  readme: string | undefined;
  /** The paths of pages by id; groups, links, and empty pages that never had a file have none. */
  pages: Map<string, string>;
  files: Map<string, string>;
  reusableContents: Map<string, string>;
  /** The ids of pages without a file, by their import key. */
  keys: Map<string, string>;
  /** The paths that links lead to for computed pages and those generated in their place, by id; they have no files. */
  generated: Map<string, string>;
}

interface Content {
  tree: readonly PageNode[];
  files: readonly FileRecord[];
  reusableContents: readonly ReusableContentRecord[];
  /** The paths in the space of computed pages and of those generated in their place, by id. */
  generated: ReadonlyMap<string, string>;
  /** The ids of empty pages that get no file. */
  blank: ReadonlySet<string>;
  /** The imported settings, and the path of the imported table of contents. */
  settings: { path: string; text: string } | undefined;
  summary: string | undefined;
  /** Whether a page that was imported from the table of contents keeps its path; its file is not written then. */
  sharesSummary?: boolean;
}

/**
 * Assigns the path of every file: imported content keeps its path, and content created in the service gets one from its slug
 * or name. The first page becomes the README, and a page with children becomes the README of a folder.
 */
export function planLayout(content: Content): Layout {
  const { tree, files, reusableContents, generated, blank, settings, summary, sharesSummary } = content;
  const config = configOf(settings);
  const { root } = config;
  const paths = createPathAllocator();
  const named = {
    settings: settings?.path ?? CONFIG_PATH,
    summary: summary ?? config.summary ?? joinPath(root, 'SUMMARY.md'),
    variables: joinPath(root, VARIABLES_PATH),
  };
  // Those that were imported, then those that the export may add.
  for (const path of [settings?.path, summary]) if (path !== undefined) paths.claimImported(path);
  for (const path of Object.values(named)) paths.claim(path);
  const layout: Layout = {
    root,
    readme: config.readme,
    ...named,
    pages: new Map(),
    files: new Map(),
    reusableContents: new Map(),
    keys: new Map(),
    generated: new Map([...generated].map(([id, path]) => [id, `${joinPath(root, path)}.md`])),
  };

  const claim = (into: Map<string, string>, { id, git }: { id: string; git?: { path: string } }) => {
    const isSummary = sharesSummary === true && git?.path === named.summary;
    const path = isSummary ? git.path : git && paths.claimImported(git.path);
    if (path !== undefined) into.set(id, path);
  };
  for (const { page } of walkPages(tree)) {
    claim(layout.pages, page);
    if (page.importKey !== undefined) layout.keys.set(page.importKey, page.id);
  }
  for (const reusable of reusableContents) claim(layout.reusableContents, reusable);
  for (const file of files) claim(layout.files, file);

  const hasFile = ({ page }: PageNode) => page.type === 'document' && !blank.has(page.id);
  const first = tree.find(hasFile);
  if (first && !layout.pages.has(first.page.id)) {
    const path = paths.claim(config.readme ?? joinPath(root, 'README.md'));
    if (path !== undefined) layout.pages.set(first.page.id, path);
  }
  namePages(tree, root, layout, paths, hasFile);
  for (const { id, title } of reusableContents)
    if (!layout.reusableContents.has(id))
      layout.reusableContents.set(
        id,
        paths.claimUnique(joinPath(root, `.gitbook/includes/${safeName(slugify(title), 'content')}.md`)),
      );
  for (const { id, name } of files)
    if (!layout.files.has(id))
      layout.files.set(id, paths.claimUnique(joinPath(root, `.gitbook/assets/${safeName(name, 'file')}`)));
  return layout;
}

/** Parses the imported settings; returns the defaults if there are none, or they are invalid. */
function configOf(settings: Content['settings']): ImportConfig {
  if (settings === undefined) return NO_CONFIG;
  try {
    return parseSettings(settings.path, normalizeLineEndings(settings.text)).config;
  } catch (error) {
    if (error instanceof ImportError) return NO_CONFIG;
    throw error;
  }
}

/** Names with a special meaning: the page of a folder, and the table of contents. */
const RESERVED_NAMES = /^(?:readme|index|summary)$/;

function namePages(
  nodes: readonly PageNode[],
  folder: string,
  layout: Layout,
  paths: PathAllocator,
  hasFile: (node: PageNode) => boolean,
): void {
  for (const node of nodes) {
    const { page, pages } = node;
    const slug = safeName(page.slug, 'page');
    const name = RESERVED_NAMES.test(slug.toLowerCase()) ? `${slug}-page` : slug;
    if (hasFile(node) && !layout.pages.has(page.id)) {
      const path = joinPath(folder, pages.some(hasFile) ? `${name}/README.md` : `${name}.md`);
      layout.pages.set(page.id, paths.claimUnique(path));
    }
    const path = layout.pages.get(page.id);
    namePages(pages, path === undefined ? joinPath(folder, name) : childFolder(path), layout, paths, hasFile);
  }
}

/** The folder for the children of a page. */
const childFolder = (path: string): string =>
  isFolderPage(path) ? dirname(path) : joinPath(dirname(path), stem(path));

/** Iterates over pages in reading order. */
export function* walkPages(nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* walkPages(node.pages);
  }
}
