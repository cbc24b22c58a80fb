/**
 * How keys begin that stand in for those with escapes while a text is parsed: with half of a surrogate pair, which no other key
 * without escapes contains, since it cannot be encoded in UTF-8.
 */
const PLACEHOLDER = '\ud800';

/**
 * Parses JSON. `JSON.parse` of V8 takes some keys with escapes for other keys that were parsed before (nodejs/node#63785): after
 * `{"h":[],"\\":1}`, the second key of `{"h":1,"\"":2}` is a backslash. The earlier text can be somebody else's, so whatever comes
 * from callers, or contains what they chose, is parsed with this function instead.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const keys = escapedKeys(text);
  if (keys.length === 0) return JSON.parse(text);
  // The text is valid if this does not throw; an error names the place in it.
  JSON.parse(text);
  let replaced = '';
  let at = 0;
  for (const [index, { start, end }] of keys.entries()) {
    replaced += `${text.slice(at, start)}"${PLACEHOLDER}${index}"`;
    at = end;
  }
  const names = keys.map(({ start, end }) => JSON.parse(text.slice(start, end)) as string);
  return renameKeys(JSON.parse(replaced + text.slice(at)), (key) =>
    key.startsWith(PLACEHOLDER) ? (names[Number(key.slice(PLACEHOLDER.length))] as string) : key,
  );
}

interface Range {
  start: number;
  end: number;
}

const BACKSLASH = 92;
const QUOTE = 34;

/** Finds the keys with escapes, including their quotes. In a text that is not JSON, they may be anything. */
function escapedKeys(text: string): Range[] {
  const keys: Range[] = [];
  // Outside of strings there are no backslashes, so the next one is the first of its string.
  for (let at = text.indexOf('\\'); at >= 0; ) {
    let end = at;
    while (end < text.length && text.charCodeAt(end) !== QUOTE)
      end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    end++;
    if (isBeforeColon(text, end)) keys.push({ start: text.lastIndexOf('"', at), end });
    at = text.indexOf('\\', end);
  }
  return keys;
}

/** Whether only white space is between a position and the next colon. */
function isBeforeColon(text: string, position: number): boolean {
  let at = position;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return text[at] === ':';
}

/** Renames keys in a JSON value, at any depth. Of two members with the same name, the later one counts. */
function renameKeys(root: unknown, rename: (key: string) => string): unknown {
  const renamed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [rename(key), member]));
  const result = renamed(root);
  const stack = [result];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== 'object' || member === null) continue;
      const inner = renamed(member);
      if (inner !== member)
        Object.defineProperty(value, key, {
          value: inner,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      stack.push(inner);
    }
  }
  return result;
}
