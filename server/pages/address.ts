import {
  isMarkdownSegment,
  MARKDOWN_END,
  RESERVED_SEGMENT,
  SITE_FILES,
} from '../../routers/engine/store/site-files.ts';

export type PageResource =
  | { kind: 'page' | 'markdown' | 'search' | 'search.json' | 'pdf' }
  | { kind: 'asset'; name: string }
  | { kind: (typeof SITE_FILES)[number] };

/** The parts of an address: the path of a site or of a page, and what is requested there. */
export interface PageAddress {
  path: string;
  resource: PageResource;
}

/** Parses the path of an address, still percent-encoded; undefined for an unknown one below `~`. */
export function parsePageAddress(pathname: string): PageAddress | undefined {
  const segments = pathname.split('/');
  const reserved = segments.indexOf(RESERVED_SEGMENT);
  if (reserved >= 0) {
    const path = `${segments.slice(0, reserved).join('/')}/`;
    const rest = segments.slice(reserved + 1);
    const [name = ''] = rest;
    if (rest.length !== 1) return undefined;
    if (name === 'search' || name === 'search.json' || name === 'pdf')
      return { path, resource: { kind: name } };
    return { path, resource: { kind: 'asset', name } };
  }
  const last = segments.at(-1) ?? '';
  const file = SITE_FILES.find((name) => name === last);
  if (file) return { path: `${segments.slice(0, -1).join('/')}/`, resource: { kind: file } };
  if (isMarkdownSegment(last))
    return { path: pathname.slice(0, -MARKDOWN_END.length), resource: { kind: 'markdown' } };
  return { path: pathname, resource: { kind: 'page' } };
}
