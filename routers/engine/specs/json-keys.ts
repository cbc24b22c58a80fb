import { MAX_SPEC_DEPTH } from './limits.ts';

interface JsonProblem {
  message: string;
  /** The keys that lead to the problem. */
  path: (string | number)[];
  /** Counted from 1. */
  line: number;
}

/** An open object, with its keys so far, or an open array; `at` is the current key or index. */
interface Container {
  keys: Set<string> | undefined;
  at: string | number;
  awaitsKey: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/**
 * Finds problems that a JSON parser ignores: duplicate keys in an object, and nesting that is too deep. The text must be
 * valid JSON. Takes linear time.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const open: Container[] = [];
  const problem = (message: string, position: number): JsonProblem => ({
    message,
    path: open.map(({ at }) => at),
    line: lineAt(text, position),
  });
  for (let position = 0; position < text.length; position++) {
    const top = open.at(-1);
    switch (text.charCodeAt(position)) {
      case QUOTE: {
        const end = endOfString(text, position);
        if (top?.keys && top.awaitsKey) {
          const key = JSON.parse(text.slice(position, end + 1)) as string;
          top.at = key;
          top.awaitsKey = false;
          if (top.keys.has(key)) return problem('The key is duplicated.', position);
          top.keys.add(key);
        }
        position = end;
        break;
      }
      case OPEN_OBJECT:
        open.push({ keys: new Set(), at: '', awaitsKey: true });
        break;
      case OPEN_ARRAY:
        open.push({ keys: undefined, at: 0, awaitsKey: false });
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        break;
      case COMMA:
        if (top?.keys) top.awaitsKey = true;
        else if (top) top.at = (top.at as number) + 1;
    }
    if (open.length > MAX_SPEC_DEPTH) {
      open.pop();
      return problem(`It is nested more than ${MAX_SPEC_DEPTH} levels deep.`, position);
    }
  }
  return undefined;
}

/** The position of the closing quote of a JSON string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
}

/** The line number of a position, from 1. */
function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
