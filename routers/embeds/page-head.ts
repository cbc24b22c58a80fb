/** The metadata of a web page: by Open Graph, or else its title and icon. */

import { decodeEntities } from '../engine/markdown/html/html.ts';
import { firstCharacters } from '../engine/text.ts';

export interface PageHead {
  title?: string | undefined;
  site?: string | undefined;
  /** An absolute http or https URL. */
  icon?: string | undefined;
}

const TAG = /<(meta|link)\s([^<>]*)>|<title[^<>]*>([^<]*)</gi;
const ATTRIBUTE = /(?<![a-z:-])([a-z][a-z:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** The longest text that is kept, in characters. */
const MAX_TEXT = 300;
const MAX_ICON = 2048;

/** Parses the start of an HTML page, in time linear in its length. */
export function readPageHead(html: string, address: string): PageHead {
  const named = new Map<string, string>();
  let title: string | undefined;
  let icon: string | undefined;
  for (const [, tag, attributes = '', text] of html.matchAll(TAG)) {
    if (tag === undefined) {
      title ??= text;
      continue;
    }
    const given = attributesOf(attributes);
    if (tag.toLowerCase() === 'link') {
      if (/(?:^|\s)icon(?:\s|$)/i.test(given.get('rel') ?? '')) icon ??= given.get('href');
      continue;
    }
    const name = (given.get('property') ?? given.get('name') ?? '').toLowerCase();
    if (!named.has(name)) named.set(name, given.get('content') ?? '');
  }
  return {
    title: normalizeText(named.get('og:title')) ?? normalizeText(title),
    site: normalizeText(named.get('og:site_name')),
    icon: icon === undefined ? undefined : iconUrl(decodeEntities(icon), address),
  };
}

const attributesOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      double ?? single ?? bare ?? '',
    ]),
  );

/** Normalizes a text to one line that a column can hold; undefined if nothing is left. */
export function normalizeText(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const plain = decodeEntities(text.slice(0, MAX_TEXT * 8))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return plain === '' ? undefined : firstCharacters(plain, MAX_TEXT).toWellFormed();
}

function iconUrl(href: string, address: string): string | undefined {
  const url = URL.parse(href, address);
  return url && /^https?:$/.test(url.protocol) && url.href.length <= MAX_ICON ? url.href : undefined;
}
