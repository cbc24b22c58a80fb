import { normalizeReference, parseLinkDestination, parseLinkTitle } from '../parse/parser.ts';

/** The part between the parentheses of a link: destination and title. */
export function linkTarget(href: string, title: string | undefined): string {
  const destination = writeDestination(href);
  return title === undefined
    ? destination
    : `${destination === '' ? '<>' : destination} "${escapeTitle(title)}"`;
}

const NEEDS_BRACKETS = /[\s<\p{Cc}]/u;
const ENTITY = /&(?=#?[a-zA-Z0-9]+;)/g;

function writeDestination(href: string): string {
  const escaped = href
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replace(ENTITY, '\\&')
    .replace(/\n/g, '&#xA;');
  if (NEEDS_BRACKETS.test(escaped)) return `<${escaped.replace(/[<>]/g, '\\$&')}>`;
  return hasBalancedParentheses(escaped) ? escaped : escaped.replace(/[()]/g, '\\$&');
}

function hasBalancedParentheses(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    if (depth < 0 || depth > 30) return false;
  }
  return depth === 0;
}

function escapeTitle(title: string): string {
  return title
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replace(/"/g, '\\"')
    .replace(ENTITY, '\\&')
    .replace(/\n/g, '&#xA;');
}

/** Whether a written target still matches the given URL and title. */
export function isReferenceTo(target: string, href: string, title: string | undefined): boolean {
  const max = target.length;
  const blanks = (from: number) => {
    let position = from;
    while (position < max && /\s/.test(target.charAt(position))) position += 1;
    return position;
  };
  const start = blanks(0);
  const destination = parseLinkDestination(target, start, max);
  const address = destination.ok ? destination.str : '';
  const afterAddress = destination.ok ? destination.pos : start;
  if (address !== href) return false;
  const titleStart = blanks(afterAddress);
  if (titleStart === max) return title === undefined;
  if (titleStart === afterAddress) return false;
  const written = parseLinkTitle(target, titleStart, max);
  return written.ok && written.str === title && blanks(written.pos) === max;
}

/** The label written in `[text][label]`, if the link was written that way. */
export function fullReference(source: string, label: string): string | undefined {
  const start = source.lastIndexOf('][');
  if (start < 0) return undefined;
  const written = source.slice(start + 2, -1);
  return written !== '' && normalizeReference(written) === label ? written : undefined;
}
