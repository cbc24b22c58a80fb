/** Converts references to links between the files of an export. */

import { defaultHref, type HrefOf } from '../document/refs.ts';
import { dirname } from '../import/paths.ts';
import type { Layout } from './layout.ts';

/**
 * Returns a function that converts references to links relative to the file `from`. Targets without a file are linked
 * by id.
 */
export function createHrefWriter(layout: Layout, from: string): (ref: Parameters<HrefOf>[0]) => string {
  const pageAt = (id: string) => layout.pages.get(id) ?? layout.generated.get(id);
  const pathOf = (ref: Parameters<HrefOf>[0]): string | undefined => {
    if ('space' in ref && ref.space !== undefined) return undefined;
    switch (ref.kind) {
      case 'page':
        return pageAt(ref.page);
      case 'anchor':
        return ref.page === undefined ? undefined : pageAt(ref.page);
      case 'file':
        return layout.files.get(ref.file);
      case 'reusable-content':
        return layout.reusableContents.get(ref.reusableContent);
      default:
        return undefined;
    }
  };
  return (ref) => {
    const path = pathOf(ref);
    if (path === undefined) return defaultHref(ref);
    const anchor = ref.kind === 'anchor' ? `#${ref.anchor}` : '';
    if (anchor !== '' && path === from) return anchor;
    return escapePath(relativePath(from, path)) + anchor;
  };
}

/** The path of a file relative to another. */
export function relativePath(from: string, to: string): string {
  const folders = dirname(from) === '' ? [] : dirname(from).split('/');
  const segments = to.split('/');
  let shared = 0;
  while (shared < folders.length && shared < segments.length - 1 && folders[shared] === segments[shared])
    shared++;
  return [...folders.slice(shared).fill('..'), ...segments.slice(shared)].join('/');
}

/** Percent-encodes the characters that would end a link's target or have a special meaning in it. */
const escapePath = (path: string): string =>
  path
    .replace(/[\s%?#<>()"'\\]/g, (character) =>
      character.length === 1 && character.charCodeAt(0) < 128
        ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
        : encodeURIComponent(character),
    )
    // A colon in the first segment would make it a scheme.
    .replace(/^[^/]*:/, (segment) => `./${segment}`);
