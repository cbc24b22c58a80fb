import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  loadAll,
  mapTag,
  mergeTag,
  seqTag,
  YAMLException,
} from 'js-yaml';
import { byteLimit } from '../byte-limit.ts';
import { isRecord } from '../values.ts';

/** Maximum nesting; it also terminates recursion in a value that contains itself. */
const MAX_DEPTH = 32;
/** Maximum length of a YAML text in characters; handwritten YAML is far smaller. */
const MAX_YAML_LENGTH = 64 * 1024;

/** Limits for parsing a text. */
interface YamlLimits {
  /** Characters. */
  maxLength?: number;
  /** Levels of nesting. */
  maxDepth?: number;
  /** Whether `<<` merges mappings, which may take more than linear time. */
  merges?: boolean;
}

/** Ignores unknown tags, such as `!secret`. */
const SCHEMA = CORE_SCHEMA.withTags(
  ['!', 'tag:'].flatMap((tagName) => [
    defineScalarTag(tagName, { matchByTagPrefix: true, identify: () => false, resolve: (source) => source }),
    defineSequenceTag(tagName, { ...seqTag, matchByTagPrefix: true, identify: () => false }),
    defineMappingTag(tagName, { ...mapTag, matchByTagPrefix: true, identify: () => false }),
  ]),
);

const MERGING_SCHEMA = SCHEMA.withTags(mergeTag);

/** Matches an entry of a mapping of strings, with only characters that have no special meaning in YAML. */
const PLAIN_LINE = /^([A-Za-z]\w*): ([A-Za-z](?:[\w ,.()/-]*[\w.)])?)$/;
const NOT_TEXT = /^(?:null|true|false)$/i;

type YamlResult = { value: unknown } | { error: string; line?: number };

/**
 * Parses a YAML document of bounded size to JSON values that can be stored; all YAML from callers is parsed here. Takes
 * linear time. Never throws: returns an error with its line, from 1, if the text is invalid, its aliases multiply too much,
 * or its nesting could overflow the stack.
 */
export function parseYaml(
  text: string,
  { maxLength = MAX_YAML_LENGTH, maxDepth = MAX_DEPTH, merges = false }: YamlLimits = {},
): YamlResult {
  if (text.length > maxLength) return { error: `is larger than ${byteLimit(maxLength)}` };
  const plain = readPlainMapping(text);
  if (plain) return { value: plain };
  try {
    const [value = null, ...more] = loadAll(text, {
      schema: merges ? MERGING_SCHEMA : SCHEMA,
      maxDepth: maxDepth + 1,
    });
    if (more.length > 0) return { error: 'holds more than one YAML document' };
    return { value: toJson(value, 0, { maxDepth, left: MIN_SIZE_BUDGET + 4 * text.length }) };
  } catch (error) {
    const reason = error instanceof YAMLException ? error.reason : (error as Error).message;
    const line = error instanceof YAMLException ? error.mark?.line : undefined;
    return { error: `is not valid YAML: ${reason}`, ...(line !== undefined && { line: line + 1 }) };
  }
}

/**
 * Parses a simple mapping, like the front matter of most pages, without the YAML parser, which would dominate the
 * import time.
 */
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

/** Maximum number of values and characters that a small text may expand to; for larger texts, four times their length. */
const MIN_SIZE_BUDGET = 10_000;

/** The maximum nesting of a value, and the remaining number of values and characters. */
interface SizeBudget {
  readonly maxDepth: number;
  left: number;
}

function toJson(value: unknown, depth: number, budget: SizeBudget): unknown {
  if (depth > budget.maxDepth) throw new RangeError(`it is nested deeper than ${budget.maxDepth} levels`);
  budget.left -= 1 + (typeof value === 'string' ? value.length : 0);
  if (budget.left < 0) throw new RangeError('its aliases repeat too much');
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1, budget));
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).map(([key, item]) => [
    toJson(key, depth, budget),
    toJson(item, depth + 1, budget),
  ]);
  return Object.fromEntries(entries);
}
