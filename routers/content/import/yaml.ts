import { LineCounter, parseDocument } from 'yaml';

/** Levels of nesting read; also what ends a value that contains itself. */
const MAX_DEPTH = 32;
/** Characters of YAML read from one place; what people write by hand is far smaller. */
const MAX_YAML_LENGTH = 64 * 1024;

/** One entry of a mapping of words to words, in the few characters that mean nothing else in YAML. */
const PLAIN_LINE = /^([A-Za-z]\w*): ([A-Za-z](?:[\w ,.()/-]*[\w.)])?)$/;
const NOT_TEXT = /^(?:null|true|false)$/i;

type YamlResult = { value: unknown } | { error: string; line?: number };

/**
 * Reads one YAML document of bounded size as JSON values that can be stored. Never throws: what cannot be read, aliases that multiply
 * and nesting that would exhaust the stack included, comes back as an error with its line, counted from 1.
 */
export function readYaml(text: string): YamlResult {
  if (text.length > MAX_YAML_LENGTH)
    return { error: `is larger than the ${MAX_YAML_LENGTH / 1024} kB that are read` };
  const plain = readPlainMapping(text);
  if (plain) return { value: plain };
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
    const [problem] = document.errors;
    if (problem)
      return {
        error: `is not valid YAML: ${problem.message}`,
        line: lineCounter.linePos(problem.pos[0]).line,
      };
    return { value: toJson(document.toJS({ maxAliasCount: 100 }), 0) };
  } catch (error) {
    return { error: `is not valid YAML: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The front matter that most pages have, read without a parser, which takes longer than all else there is to read. */
function readPlainMapping(text: string): Record<string, string> | undefined {
  const entries = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, key, value] = PLAIN_LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || NOT_TEXT.test(key) || NOT_TEXT.test(value))
      return undefined;
    if (entries.has(key)) return undefined;
    entries.set(key, value);
  }
  return entries.size > 0 ? Object.fromEntries(entries) : undefined;
}

function toJson(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`it is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).map(([key, item]) => [toJson(key, depth), toJson(item, depth + 1)]);
  return Object.fromEntries(entries);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
