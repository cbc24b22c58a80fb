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

/** Levels of nesting read; also what ends a value that contains itself. */
const MAX_DEPTH = 32;
/** Characters of YAML read from one place; what people write by hand is far smaller. */
const MAX_YAML_LENGTH = 64 * 1024;

/** How much is read of one text. */
interface YamlLimits {
  /** Characters. */
  maxLength?: number;
  /** Levels of nesting. */
  maxDepth?: number;
  /** Whether `<<` merges mappings, which takes time that does not follow the length of the text. */
  merges?: boolean;
}

/** Tags that are not known, such as `!secret`, say nothing about a value. */
const SCHEMA = CORE_SCHEMA.withTags(
  ['!', 'tag:'].flatMap((tagName) => [
    defineScalarTag(tagName, { matchByTagPrefix: true, identify: () => false, resolve: (source) => source }),
    defineSequenceTag(tagName, { ...seqTag, matchByTagPrefix: true, identify: () => false }),
    defineMappingTag(tagName, { ...mapTag, matchByTagPrefix: true, identify: () => false }),
  ]),
);

const MERGING_SCHEMA = SCHEMA.withTags(mergeTag);

/** One entry of a mapping of words to words, in the few characters that mean nothing else in YAML. */
const PLAIN_LINE = /^([A-Za-z]\w*): ([A-Za-z](?:[\w ,.()/-]*[\w.)])?)$/;
const NOT_TEXT = /^(?:null|true|false)$/i;

type YamlResult = { value: unknown } | { error: string; line?: number };

/**
 * Reads one YAML document of bounded size as JSON values that can be stored; every YAML text of a caller is read here. Takes
 * time that follows the length of the text. Never throws: what cannot be read, aliases that multiply
 * and nesting that would exhaust the stack included, comes back as an error with its line, counted from 1.
 */
export function parseYaml(
  text: string,
  { maxLength = MAX_YAML_LENGTH, maxDepth = MAX_DEPTH, merges = false }: YamlLimits = {},
): YamlResult {
  if (text.length > maxLength) return { error: `is larger than the ${maxLength / 1024} kB that are read` };
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

/** Values and characters that aliases may make of a small text; of a larger one, four times its length. */
const MIN_SIZE_BUDGET = 10_000;

/** How deep a value may go, and how many values and characters it may still hold. */
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
