/**
 * Attribute lists of Python-Markdown and kramdown, such as `{ width="300" }`, `{: .note }` and `{ #id .class }`: they say how what
 * they follow is shown on the built site, and are no text. They are kept as they are written, and nothing is shown for them.
 */

// What is escaped is text.
const SIGNED = String.raw`[.#][\w-][^\s{}"'\\]*`;
const VALUE = String.raw`=(?:"[^"\n{}\\]*"|'[^'\n{}\\]*'|[^\s{}"'=\\]+)`;
/** A class, an id or an attribute with its value; or an attribute without one, of those that only pages use. */
const ITEM = String.raw`(?:${SIGNED}|[A-Za-z][\w:.-]*${VALUE}|data-[\w-]+)`;
/** With a colon, single names may stand in it too. */
const NAME = String.raw`(?:${SIGNED}|[A-Za-z][\w:.-]*(?:${VALUE})?)`;
const SOURCE = String.raw`\{(?::[ \t]*${NAME}(?:[ \t]+${NAME})*|[ \t]*${ITEM}(?:[ \t]+${ITEM})*)[ \t]*\}`;

const LIST = new RegExp(SOURCE, 'y');
/** Markup, which a list in the middle of other content does not contain: it would be lost if the list turned out to be text. */
const MARKUP = /[*`[\]<&~$^|]|(?<![A-Za-z0-9])_[^_]*_(?![A-Za-z0-9])|:[a-z0-9_+-]+:/i;
/** With the blanks and the line break before or after it. */
const ONLY_LIST = new RegExp(String.raw`^[ \t]*(?:\n[ \t]*)?${SOURCE}[ \t]*(?:\n[ \t]*)?$`);
const SIGN = /^\{:?[ \t]*[.#]/;
/** The name of an icon, which is no emoji that is known. */
const ICON = /:[a-z][\w+-]{0,60}:$/;
export const MAX_ICON = 63;

/** Where a list stands: by itself or after an icon, right after another inline, or after a blank at the end. */
export type ListPlace = 'content' | 'previous' | 'line';

/** The attribute list that would begin at an index; undefined if there is none. */
export function attributeListAt(text: string, index: number): string | undefined {
  if (text.charCodeAt(index) !== 0x7b) return undefined;
  LIST.lastIndex = index;
  const list = LIST.exec(text)?.[0];
  return list === undefined || MARKUP.test(list) ? undefined : list;
}

export const isAttributeList = (markdown: string): boolean => ONLY_LIST.test(markdown);

/** Whether a list may be on a line anywhere in a paragraph, not only on the last. */
export const isKramdownList = (list: string): boolean => list.startsWith('{:');

/** The index of the last character before another that is no blank; -1 if there is none. */
export function beforeBlanks(text: string, index: number): number {
  let at = index - 1;
  while (at >= 0 && ' \t'.includes(text.charAt(at))) at -= 1;
  return at;
}

/** The index of the first character from an index on that is no blank. */
export function afterBlanks(text: string, index: number): number {
  let at = index;
  while (at < text.length && ' \t'.includes(text.charAt(at))) at += 1;
  return at;
}

/** Whether a list that is a paragraph of its own is one, not a formula or set of the author. */
export const standsAlone = (markdown: string): boolean =>
  isAttributeList(markdown) && (isKramdownList(markdown) || SIGN.test(markdown));

/** Whether a text ends in the name of an icon, which a list may follow. */
export const endsInIcon = (text: string): boolean => ICON.test(text);

const ATTRIBUTE = /(?<![\w:.-])([A-Za-z][\w:.-]*)=(?:"([^"]*)"|'([^']*)'|([^\s{}"'=]+))/g;
const ID = /(?:^|[{:\s])#([\w.:-]+)/;

/** The attributes that a list gives, without classes. */
export function attributesIn(list: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single, bare] of list.matchAll(ATTRIBUTE))
    found.set(name, double ?? single ?? bare ?? '');
  const id = ID.exec(list)?.[1];
  if (id !== undefined) found.set('id', id);
  return found;
}
