/** What follows the fence of a code block: its language, and in other tools than GitBook its title, among options. */

import { unescapeAll } from './parser.ts';

/** `title="a.js"`, alone or in braces, as of Docusaurus and MkDocs. */
const TITLE = /(?<=^|[\s{])title=(?:"([^"]*)"|'([^']*)')/;
/** `[a.js]` after the language, as of VitePress. */
const BRACKETED = /(?<=\s)\[([^[\]]+)\](?=\s*$)/;
/** The language in braces, as of Pandoc. */
const IN_BRACES = /^\{\s*\.([^\s{}]+)/;

/** The language, without options that may be attached to it, as in `js{1,3}` and `js:line-numbers`; empty if there is none. */
export function syntaxIn(info: string): string {
  const text = unescapeAll(info.trim());
  const word = IN_BRACES.exec(text)?.[1] ?? text.split(/\s/)[0] ?? '';
  const end = word.search(/(?<=.)[{:]/);
  return end < 0 ? word : word.slice(0, end);
}

/** The title; undefined if there is none. */
export function titleIn(info: string): string | undefined {
  const text = unescapeAll(info.trim());
  const [, double, single] = TITLE.exec(text) ?? [];
  return double || single || BRACKETED.exec(text)?.[1] || undefined;
}

/** The same with another title, or with none; undefined if it cannot be written there. */
export function withTitle(info: string, title: string | undefined): string | undefined {
  if (titleIn(info) === title) return info;
  const pattern = TITLE.test(info) ? TITLE : BRACKETED;
  if (title === undefined) {
    const { 0: written = '', index = 0 } = pattern.exec(info) ?? {};
    const without = info.slice(0, index).trimEnd() + info.slice(index + written.length).trimEnd();
    return titleIn(without) === undefined ? without : undefined;
  }
  const written = pattern === TITLE ? `title="${title}"` : `[${title}]`;
  const updated = info.replace(pattern, () => written);
  return titleIn(updated) === title ? updated : undefined;
}
