/** The tags of components of MDX, whose attributes may be JavaScript. */

/** Maximum length of a tag. Each line could begin one that goes on for all of the text. */
const MAX_TAG = 2000;

const NAME = /<(\/?)([A-Z][\w.]*)/y;
const BLANKS = /\s*/y;
const ATTRIBUTE = /([A-Za-z_][\w:.-]*)(=?)/y;
const TEXT = /"([^"]*)"|'([^']*)'/y;
const TAG_END = /(\/?)>/y;
/** JavaScript that is just a text. */
const TEXT_IN_BRACES = /^\{\s*(?:"([^"\\]*)"|'([^'\\]*)'|`([^`\\$]*)`)\s*\}$/;

export interface ComponentTag {
  name: string;
  isEnd: boolean;
  isSelfClosing: boolean;
  /** The attributes that are texts, with their entities. */
  attributes: Map<string, string>;
  /** The position after it. */
  end: number;
}

/** Reads the tag at a position; undefined if there is none, or it is not well-formed. */
export function readComponentTag(source: string, start: number): ComponentTag | undefined {
  const text = source.slice(start, start + MAX_TAG);
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match) position = pattern.lastIndex;
    return match;
  };
  const [, slash, name] = take(NAME) ?? [];
  if (name === undefined) return undefined;
  const attributes = new Map<string, string>();
  for (;;) {
    take(BLANKS);
    const end = take(TAG_END);
    if (end)
      return { name, isEnd: slash !== '', isSelfClosing: end[1] !== '', attributes, end: start + position };
    if (text[position] === '{') {
      const spread = bracesAt(text, position);
      if (spread === undefined) return undefined;
      position += spread.length;
      continue;
    }
    const [, attribute, equals] = take(ATTRIBUTE) ?? [];
    if (attribute === undefined) return undefined;
    if (equals === '') continue;
    const value = take(TEXT);
    if (value) {
      attributes.set(attribute, value[1] ?? value[2] ?? '');
      continue;
    }
    const braces = bracesAt(text, position);
    if (braces === undefined) return undefined;
    position += braces.length;
    const inBraces = TEXT_IN_BRACES.exec(braces);
    if (inBraces) attributes.set(attribute, inBraces[1] ?? inBraces[2] ?? inBraces[3] ?? '');
  }
}

const TAG_OR_ATTRIBUTE = /<[A-Za-z]|>|\s[A-Za-z_][\w:.-]*=(?=\{)/g;

/**
 * HTML as MDX has it, with attributes that HTML has, too: texts in braces are quoted, and other JavaScript, such as
 * `style={{ margin: 0 }}`, is replaced with blanks. Everything keeps its position.
 */
export function withHtmlAttributes(source: string): string {
  if (!source.includes('={')) return source;
  let [result, position, isInTag] = ['', 0, false];
  for (const { 0: found, index } of source.matchAll(TAG_OR_ATTRIBUTE)) {
    if (index < position) continue;
    if (found.startsWith('<') || found === '>') {
      isInTag = found !== '>';
      continue;
    }
    const start = index + found.length;
    if (!isInTag) continue;
    const braces = bracesAt(source.slice(start, start + MAX_TAG), 0);
    // It is no MDX. Looking further would search what follows each of the attributes.
    if (braces === undefined) return source;
    const inBraces = TEXT_IN_BRACES.exec(braces);
    const text = inBraces && (inBraces[1] ?? inBraces[2] ?? inBraces[3] ?? '');
    const attribute = text == null || text.includes('"') ? '' : `${found}"${text}"`;
    result += source.slice(position, index) + attribute.padEnd(found.length + braces.length);
    position = start + braces.length;
  }
  return result + source.slice(position);
}

/** JavaScript in braces, with the braces. Those in its texts are not told apart, so they have to match. */
function bracesAt(text: string, start: number): string | undefined {
  if (text[start] !== '{') return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && --depth === 0) return text.slice(start, at + 1);
  }
  return undefined;
}
