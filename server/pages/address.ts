/** What is read at an address of a site, besides its pages. */
const FILES = ['sitemap.xml', 'robots.txt', 'llms.txt', 'llms-full.txt', 'feed.xml'] as const;

/** The segment below which a site has what is no page: no page has such a slug. */
export const OWN = '~';

const MARKDOWN = '.md';

export type Asked =
  | { kind: 'page' | 'markdown' | 'search' | 'search.json' | 'pdf' }
  | { kind: 'asset'; name: string }
  | { kind: (typeof FILES)[number] };

/** An address taken apart: the path that leads to a site or to a page of it, and what is asked for there. */
export interface PageAddress {
  path: string;
  asked: Asked;
}

/** Takes the path of an address apart, as it was sent; undefined for one below `~` that leads nowhere. */
export function takeApart(pathname: string): PageAddress | undefined {
  const segments = pathname.split('/');
  const own = segments.indexOf(OWN);
  if (own >= 0) {
    const path = `${segments.slice(0, own).join('/')}/`;
    const rest = segments.slice(own + 1);
    const [name = ''] = rest;
    if (rest.length !== 1) return undefined;
    if (name === 'search' || name === 'search.json' || name === 'pdf') return { path, asked: { kind: name } };
    return { path, asked: { kind: 'asset', name } };
  }
  const last = segments.at(-1) ?? '';
  const file = FILES.find((name) => name === last);
  if (file) return { path: `${segments.slice(0, -1).join('/')}/`, asked: { kind: file } };
  if (last.endsWith(MARKDOWN) && last.length > MARKDOWN.length)
    return { path: pathname.slice(0, -MARKDOWN.length), asked: { kind: 'markdown' } };
  return { path: pathname, asked: { kind: 'page' } };
}
