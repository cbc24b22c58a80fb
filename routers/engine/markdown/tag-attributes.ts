/** The attributes of template tags: `name="value"` pairs. */

const ATTRIBUTE = /\s+([a-zA-Z_][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^'\\]*)'|([^\s"']+))/sy;
/** An attribute whose value goes on in the next line. */
const OPEN_ATTRIBUTE = /^\s+[a-zA-Z_][\w-]*\s*=\s*(?:"(?:[^"\\]|\\.)*\\?|'[^'\\]*)$/;

/** `name="value"` pairs; undefined if there is anything else, or a name twice. */
export function parseAttributes(text: string, decode = unescapeValue): Map<string, string> | undefined {
  const { attributes, rest } = leadingAttributes(text, decode) ?? {};
  return rest?.trim() === '' ? attributes : undefined;
}

/** Whether the first line of a tag, after its name, has only attributes, of which the last may go on in the next line. */
export function mayGoOn(text: string): boolean {
  const { rest } = leadingAttributes(text, unescapeValue) ?? {};
  return rest !== undefined && (rest.trim() === '' || OPEN_ATTRIBUTE.test(rest));
}

/** The attributes that a text begins with, and what follows them; undefined if a name is there twice. */
function leadingAttributes(
  text: string,
  decode: Unescape,
): { attributes: Map<string, string>; rest: string } | undefined {
  const attributes = new Map<string, string>();
  let position = 0;
  for (;;) {
    ATTRIBUTE.lastIndex = position;
    const match = ATTRIBUTE.exec(text);
    if (!match) break;
    const name = match[1] ?? '';
    if (attributes.has(name)) return undefined;
    attributes.set(name, match[2] === undefined ? (match[3] ?? match[4] ?? '') : decode(match[2]));
    position = ATTRIBUTE.lastIndex;
  }
  return { attributes, rest: text.slice(position) };
}

export const writeAttribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escapeValue(value)}"`;

const NAME = /^\{%\s*[\w-]+/;

/** A tag of attributes alone with another value of one of them, which is added if it is not there. The others stay as written. */
export function replaceAttribute(tag: string, name: string, value: string): string {
  const written = writeAttribute(name, value);
  ATTRIBUTE.lastIndex = NAME.exec(tag)?.[0].length ?? 0;
  for (let match = ATTRIBUTE.exec(tag); match; match = ATTRIBUTE.exec(tag)) {
    if (match[1] !== name) continue;
    const start = match.index + match[0].search(/\S/);
    return tag.slice(0, start) + written.trimStart() + tag.slice(match.index + match[0].length);
  }
  const end = tag.lastIndexOf('%}');
  return `${tag.slice(0, end).trimEnd()}${written} ${tag.slice(end)}`;
}

/** Lines that would be read differently in a tag: those that begin with another tag, and those whose blanks or ends may change. */
const UNSTABLE_LINES = /[\r\t]|\n *\{%/;

/** A property of an integration, whose line ends may matter, as in a diagram. */
export const writeProperty = (name: string, value: string | undefined): string =>
  value === undefined || UNSTABLE_LINES.test(value)
    ? writeAttribute(name, value)
    : ` ${name}="${escapeCharacters(value)}"`;

/** A backslash and what it escapes in a value. Earlier exports of GitBook escaped what Markdown does, as in `a\_b.md`. */
const ESCAPED = /\\(["\\}_*()[\]#~<>|&`])/g;
/** A backslash that would be read as an escape. */
const ESCAPING = /\\(?=["\\}_*()[\]#~<>|&`]|$)/g;
/** What is escaped in the properties of integrations, which may be code. */
const ESCAPED_IN_CODE = /\\(["\\}])/g;

type Unescape = (value: string) => string;

export const unescapeValue: Unescape = (value) => value.replace(ESCAPED, '$1');
export const unescapeCode: Unescape = (value) => value.replace(ESCAPED_IN_CODE, '$1');

export const escapeValue = (value: string): string =>
  escapeCharacters(value).replace(/(?<!\s)\s*\n\s*/g, ' ');

const escapeCharacters = (value: string): string =>
  value
    .replace(ESCAPING, '\\\\')
    .replace(/"/g, '\\"')
    // It would end the tag.
    .replace(/%\}/g, '%\\}');
