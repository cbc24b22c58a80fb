import type { ContentRef } from '../document/document.ts';
import { runsScript } from '../document/safe-href.ts';
import type { Layout, PageTag } from '../store/page-fields.ts';
import { sourceFileOf, withSourceFile } from './computed-source.ts';
import { LineFinder } from './line-finder.ts';
import { createLinkResolver, type LinkTargets } from './links.ts';
import type { MarkdownFile } from './markdown-files.ts';
import { contentTypeOf } from './media.ts';
import { type OutlineNode, slugFromPath, titleFromPath } from './outline.ts';
import { basename } from './paths.ts';
import { type PlannedRedirect, planRedirects } from './redirects.ts';
import { type ImportNote, scriptUrlMessage, sortNotes } from './report.ts';
import type { Scan } from './scan.ts';

/** Assigns ids to content, so that importing again keeps existing ids. */
export interface ImportIds {
  /** `key` is the path of the page in the source, or a generated key if it has no file. */
  pageIdOf(key: string): string;
  fileIdOf(path: string): string;
  reusableIdOf(path: string): string;
}

export interface GitOrigin {
  path: string;
  /** Git's SHA-1 of the file as a blob; equal if the file has not changed since it was imported. */
  oid: string;
  /**
   * The text before the body, verbatim: front matter, including unknown settings, and the heading. An export writes it back
   * unchanged if it still matches the page.
   */
  head: string;
}

/** A page to import; `parent` and the order of the list determine its placement. */
export interface PlannedPage {
  key: string;
  id: string;
  parent: string | null;
  type: 'document' | 'group' | 'link' | 'computed';
  /** Its label in the table of contents, or else the title in front matter, the first heading, or the file name. */
  title: string;
  /** The source of the slug of the page; neither normalized nor unique among its siblings. */
  slug: string;
  /** The label in navigation instead of the title: the quoted text after the target of its link in the table of contents. */
  linkTitle?: string;
  description?: string;
  emoji?: string;
  icon?: string;
  cover?: { ref?: ContentRef; refDark?: ContentRef; yPos: number; height?: number };
  layout?: Layout;
  variables?: Record<string, string>;
  hidden?: boolean;
  condition?: string;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
  tags?: PageTag[];
  /** The target of a link. */
  target?: ContentRef;
  /** The source of a computed page, as written in the table of contents. */
  computed?: Record<string, unknown>;
  /** The Markdown file; a document without a file is empty. */
  git?: GitOrigin;
}

export interface PlannedReusableContent {
  id: string;
  title: string;
  git: GitOrigin;
}

export interface PlannedFile {
  id: string;
  path: string;
  name: string;
  contentType: string;
  /** In bytes. */
  size: number;
}

/** The plan of an import, without the text of pages and the bytes of files, which are read one at a time. */
export interface ImportPlan {
  scan: Scan;
  targets: LinkTargets;
  /** Parents before children, siblings in order. The first page is the landing page. */
  pages: PlannedPage[];
  files: PlannedFile[];
  reusableContents: PlannedReusableContent[];
  variables: Record<string, string>;
  redirects: PlannedRedirect[];
  report: ImportNote[];
}

/**
 * Plans the import of a scanned source: assigns ids to pages, files and reusable contents, and resolves links between
 * them.
 * @param generated see `LinkTargets`; which they are is only known once pages are planned, so a plan with them is a second one
 */
export function planImport(scan: Scan, ids: ImportIds, generated?: LinkTargets['generated']): ImportPlan {
  const report = [...scan.notes];
  const pages = new Map<string, string>();
  const assignIds = (nodes: OutlineNode[]): void => {
    for (const node of nodes) {
      pages.set(node.key, ids.pageIdOf(node.key));
      assignIds(node.children);
    }
  };
  assignIds(scan.outline);
  const targets: LinkTargets = {
    index: scan.index,
    pages,
    files: new Map(scan.files.map(({ path }) => [path, ids.fileIdOf(path)])),
    reusableContents: new Map(scan.reusableContents.map((path) => [path, ids.reusableIdOf(path)])),
    ...(generated && { generated }),
  };

  const planned: PlannedPage[] = [];
  const plan = (nodes: OutlineNode[], parent: string | null): void => {
    for (const node of nodes) {
      const id = pages.get(node.key) ?? '';
      const file = node.path === undefined ? undefined : scan.markdown.get(node.path);
      planned.push({ ...describePage(node, file, scan, targets, report), id, parent });
      plan(node.children, id);
    }
  };
  plan(scan.outline, null);
  const redirects = planRedirects(scan, targets, report);

  return {
    scan,
    targets,
    pages: planned,
    files: scan.files.map(({ path, size }) => ({
      id: targets.files.get(path) ?? '',
      path,
      name: basename(path),
      contentType: contentTypeOf(path),
      size,
    })),
    reusableContents: scan.reusableContents.flatMap((path) => {
      const file = scan.markdown.get(path);
      if (!file) return [];
      const title = file.attributes.title ?? file.laterHeading ?? titleFromPath(path);
      return [{ id: targets.reusableContents.get(path) ?? '', title, git: originOf(file) }];
    }),
    variables: scan.variables,
    redirects,
    report: sortNotes(report),
  };
}

type PageContent = Omit<PlannedPage, 'id' | 'parent'>;

function describePage(
  node: OutlineNode,
  file: MarkdownFile | undefined,
  scan: Scan,
  targets: LinkTargets,
  report: ImportNote[],
): PageContent {
  const { key, type } = node;
  if (type === 'link') {
    const href = node.href ?? '';
    const resolve = createLinkResolver(targets, node.hrefFrom ?? '', (_, message) =>
      report.push({ file: node.hrefFrom ?? '', line: node.line, severity: 'error', message }),
    );
    const title = node.title ?? href;
    // guard: import-link-scripts
    if (runsScript(href))
      report.push({
        file: node.hrefFrom ?? '',
        line: node.line,
        severity: 'warning',
        message: scriptUrlMessage(href),
      });
    return { key, type, title, slug: title, target: resolve(href) };
  }
  if (type === 'computed') {
    const title = computedTitle(node.computed);
    return { key, type, title, slug: title, computed: planComputed(node, targets, report) };
  }
  if (!file) {
    const title = node.title ?? titleFromPath(key);
    return { key, type, title, slug: node.slug ?? title, linkTitle: node.linkTitle };
  }

  const { title: given, slug, cover, ...attributes } = file.attributes;
  const title = node.title || given || file.heading || file.laterHeading || titleFromPath(file.path);
  return {
    key,
    type,
    ...attributes,
    title,
    slug: slug ?? slugFromPath(file.path, scan.index.root),
    linkTitle: node.linkTitle,
    cover: cover && planCover(cover, file, targets, report),
    git: originOf(file),
  };
}

function planCover(
  cover: NonNullable<MarkdownFile['attributes']['cover']>,
  file: MarkdownFile,
  targets: LinkTargets,
  report: ImportNote[],
): PlannedPage['cover'] {
  const lines = new LineFinder(file.head);
  const resolve = createLinkResolver(targets, file.path, (href, message) =>
    report.push({ file: file.path, line: lines.lineOfLink(href), severity: 'warning', message }),
  );
  return {
    ref: cover.light === undefined ? undefined : resolve(cover.light),
    refDark: cover.dark === undefined ? undefined : resolve(cover.dark),
    yPos: cover.yPos,
    height: cover.height,
  };
}

/** Replaces the path of the file in the source of a computed page by its id. */
function planComputed(
  { computed, hrefFrom = '', line }: OutlineNode,
  targets: LinkTargets,
  report: ImportNote[],
): PlannedPage['computed'] {
  const path = sourceFileOf(computed);
  if (!computed || path === undefined) return computed;
  const resolve = createLinkResolver(targets, hrefFrom, (_, message) =>
    report.push({ file: hrefFrom, line, severity: 'error', message }),
  );
  const ref = resolve(path);
  return ref?.kind === 'file' ? withSourceFile(computed, ref.file) : computed;
}

function computedTitle(computed: Record<string, unknown> | undefined): string {
  const type = typeof computed?.type === 'string' ? computed.type : '';
  return type === 'builtin:openapi' ? 'API reference' : titleFromPath(type.replace(/^.*:/, '') || 'Computed');
}

function originOf({ path, oid, head }: MarkdownFile): GitOrigin {
  return { path, oid, head };
}
