import type { ContentRef } from '../document/document.ts';
import { isBrokenLink } from '../document/refs.ts';
import { pathSlug } from '../store/slug.ts';
import { type FileIndex, locate } from './locate.ts';
import { dirname, isFolderPage, isMarkdownPath, isWithin, joinPath } from './paths.ts';
import { quote } from './report.ts';

/** The kind of a link, as reported by the Markdown parser. */
type LinkKind = 'link' | 'image' | 'file' | 'include' | 'openapi';

/** The ids of content in the space, by path in the source; for pages, by key, see OutlineNode. */
export interface LinkTargets {
  index: FileIndex;
  pages: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, string>;
  reusableContents: ReadonlyMap<string, string>;
  /**
   * The ids of computed pages and of the pages generated in their place, which have no files, by the folder of the
   * documentation and their path in the space; absent if there are none.
   */
  generated?: ReadonlyMap<string, string>;
}

/**
 * Creates the function that resolves the links in a file to content references. Links to files that are missing or not
 * imported stay as written, and are reported to `onBroken` with a message, and with the reason, such as `does not exist`.
 */
export function createLinkResolver(
  targets: LinkTargets,
  from: string,
  onBroken: (href: string, message: string, reason: string) => void,
): (href: string, kind?: LinkKind) => ContentRef | undefined {
  const refOf = (href: string): ContentRef | string => {
    // An anchor without a name would be written as `#`.
    if (href === '') return { kind: 'url', url: href };
    const location = locate(targets.index, from, href);
    switch (location.kind) {
      case 'url':
        return { kind: 'url', url: href };
      case 'anchor':
        return { kind: 'anchor', anchor: location.anchor };
      case 'outside':
        return 'leads out of the folder';
      case 'missing': {
        const page = findGenerated(targets, location.path);
        if (page !== undefined) return refTo(page, location.anchor);
        return isBrokenLink(href) ? 'was already broken in the source' : 'does not exist';
      }
      case 'folder':
      case 'file': {
        const { path, anchor } = location;
        const page = targets.pages.get(location.kind === 'folder' ? `${path}/` : path);
        if (page !== undefined) return refTo(page, anchor);
        const file = targets.files.get(path);
        if (file !== undefined) return { kind: 'file', file };
        const reusableContent = targets.reusableContents.get(path);
        if (reusableContent !== undefined) return { kind: 'reusable-content', reusableContent };
        const generated = findGenerated(targets, path);
        if (generated !== undefined) return refTo(generated, anchor);
        if (location.kind === 'folder') return 'is a folder without a page of its own';
        return isMarkdownPath(path)
          ? 'is a file that did not become a page'
          : 'is a file that was not imported';
      }
    }
  };
  return (href, kind) => {
    const ref = refOf(href);
    if (typeof ref !== 'string') return ref;
    // An OpenAPI block may refer to an OpenAPI spec by slug instead of a file.
    if (kind === 'openapi') return undefined;
    onBroken(href, `The link ${quote(href)} ${ref}; it stays as written.`, ref);
    return { kind: 'url', url: href };
  };
}

/** A reference to a page, or to an anchor on it. */
const refTo = (page: string, anchor: string | undefined): ContentRef =>
  anchor === undefined ? { kind: 'page', page } : { kind: 'anchor', page, anchor };

/** The id of the computed or generated page at a path, as it would be found if it had a Markdown file. */
function findGenerated({ index: { root }, generated }: LinkTargets, path: string): string | undefined {
  if (!generated || !isWithin(root, path)) return undefined;
  const page = path.slice(root === '' ? 0 : root.length + 1).replace(/[?].*/s, '');
  const written = isFolderPage(page) ? dirname(page) : page.replace(/\.(?:md|markdown)$/i, '');
  const slugs = written.split('/').map(pathSlug).join('/');
  return generated.get(joinPath(root, written)) ?? generated.get(joinPath(root, slugs));
}
