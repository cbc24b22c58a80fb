import { parseEmoji } from '../emoji.ts';
import { Condition } from '../expressions/conditions.ts';
import { DEFAULT_LAYOUT, type Layout, MAX_TAGS, PageTag, uniqueTags } from '../store/page-fields.ts';
import { isRecord } from '../values.ts';
import { quote } from './report.ts';
import { singleLine } from './text.ts';
import { parseYaml } from './yaml.ts';

/** The page settings in the front matter of a Markdown file. */
export interface FrontMatter {
  title?: string;
  slug?: string;
  description?: string;
  emoji?: string;
  icon?: string;
  /** `light` and `dark` are links as written; `height` is in pixels. */
  cover?: { light?: string; dark?: string; yPos: number; height?: number };
  layout?: Layout;
  variables?: Record<string, string>;
  hidden?: boolean;
  /** An expression for whether the page is visible to a visitor of a site. */
  condition?: string;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
  tags?: PageTag[];
}

export interface FrontMatterResult {
  attributes: FrontMatter;
  /** Problems, each as a sentence; `line` is counted from the first line of the file. */
  problems: { message: string; line?: number; severity: 'info' | 'warning' }[];
}

/**
 * Splits the front matter from a file (with LF line endings): returns the YAML between the `---` lines at its start, and
 * where the rest begins. Undefined if the file has no front matter, or the closing line is missing.
 */
export function splitFrontMatter(text: string): { yaml: string; end: number } | undefined {
  const opening = /^---[ \t]*\n/.exec(text);
  if (!opening) return undefined;
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const match = closing.exec(text);
  if (!match) return undefined;
  return { yaml: text.slice(opening[0].length, match.index), end: match.index + match[0].length };
}

/** A key for a condition in YAML that cannot be parsed. */
const CONDITION_KEY = /(?:^|[{,])[ \t]*["']?if["']?[ \t]*:/m;

/** Parses the YAML of front matter. Undefined if it is text rather than a mapping: then it belongs to the content. */
export function parseFrontMatter(yaml: string): FrontMatterResult | undefined {
  const attributes: FrontMatter = {};
  const result = parseYaml(yaml);
  if ('error' in result) {
    const line = result.line === undefined ? undefined : result.line + 1;
    // guard: import-unreadable-condition
    const isConditional = CONDITION_KEY.test(yaml);
    if (isConditional) attributes.condition = 'false';
    const effect = isConditional
      ? 'it is kept, and the page is hidden from all visitors'
      : 'it is kept but has no effect';
    const message = `The front matter ${result.error}; ${effect}.`;
    return { attributes, problems: [{ message, line, severity: 'warning' }] };
  }
  if (result.value === null || result.value === undefined) return { attributes, problems: [] };
  if (!isRecord(result.value)) return undefined;
  const problems: FrontMatterResult['problems'] = [];
  const unknownKeys: string[] = [];
  const cover: Cover = { yPos: 0 };
  const state: ParseState = { attributes, cover, unknownKeys };
  for (const [key, value] of Object.entries(result.value)) {
    if (value === null) continue;
    const setter = Object.hasOwn(SETTERS, key) ? SETTERS[key] : undefined;
    if (!setter) unknownKeys.push(key);
    else if (!setter(state, value)) {
      const message = `The front matter's "${key}" has an invalid value; ${INVALID_VALUE_EFFECTS[key] ?? 'it is kept but has no effect'}.`;
      problems.push({ message, line: lineOfKey(yaml, key), severity: 'warning' });
    }
  }
  if (cover.light !== undefined || cover.dark !== undefined) attributes.cover = cover;
  if (unknownKeys.length > 0) {
    const kept = unknownKeys.length === 1 ? 'is kept but has' : 'are kept but have';
    const names = unknownKeys.map(quote).join(', ');
    problems.push({ message: `The front matter's ${names} ${kept} no effect.`, severity: 'info' });
  }
  return { attributes, problems };
}

type Cover = NonNullable<FrontMatter['cover']>;
type ParseState = { attributes: FrontMatter; cover: Cover; unknownKeys: string[] };
/** Sets an attribute from a value; returns whether the value was entirely valid. */
type Setter = (state: ParseState, value: unknown) => boolean;

const SETTERS: Record<string, Setter> = {
  title: text('title'),
  slug: text('slug'),
  description: text('description'),
  emoji({ attributes }, value) {
    const isPlain = typeof value === 'string' || typeof value === 'number';
    const emoji = isPlain ? parseEmoji(String(value)) : undefined;
    if (emoji !== undefined) attributes.emoji = emoji;
    return emoji !== undefined;
  },
  icon: text('icon', 50),
  hidden: flag('hidden'),
  if: condition,
  noIndex: flag('noIndex'),
  noRobotsIndex: flag('noRobotsIndex'),
  vars: variables,
  variables,
  layout,
  tags,
  cover: ({ cover }, value) => {
    const { light, dark } = isRecord(value) ? value : { light: value, dark: undefined };
    if (typeof light === 'string') cover.light = light;
    if (typeof dark === 'string') cover.dark = dark;
    return typeof light === 'string' || typeof dark === 'string';
  },
  coverDark: ({ cover }, value) => {
    if (typeof value !== 'string') return false;
    cover.dark = value;
    return true;
  },
  coverY: ({ cover }, value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return false;
    cover.yPos = value;
    return true;
  },
  coverHeight: ({ cover }, value) => {
    if (typeof value !== 'number' || !(value >= 10 && value <= 700)) return false;
    cover.height = value;
    return true;
  },
};

/** What invalid values lead to, if not to no effect. */
const INVALID_VALUE_EFFECTS: Readonly<Record<string, string>> = {
  if: 'the page is hidden from all visitors',
};

/** An invalid condition becomes `false`, so that a mistake reveals nothing. */
function condition({ attributes }: ParseState, value: unknown): boolean {
  const given = typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
  const isValid = Condition.safeParse(given).success;
  attributes.condition = isValid ? given : 'false';
  return isValid;
}

function text(key: 'title' | 'slug' | 'description' | 'icon', maxLength = 10_000): Setter {
  return ({ attributes }, value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const line = singleLine(String(value));
    if (line.length > maxLength) return false;
    if (line !== '') attributes[key] = line;
    return true;
  };
}

function flag(key: 'hidden' | 'noIndex' | 'noRobotsIndex'): Setter {
  return ({ attributes }, value) => {
    if (typeof value !== 'boolean') return false;
    if (value) attributes[key] = true;
    return true;
  };
}

function variables({ attributes }: ParseState, value: unknown): boolean {
  const read = parseVariables(value);
  if (read === undefined) return false;
  attributes.variables = { ...attributes.variables, ...read.variables };
  return read.rejected.length === 0;
}

/** Parses a mapping of names to plain values as variables; undefined if it is not a mapping. */
export function parseVariables(
  value: unknown,
): { variables: Record<string, string>; rejected: string[] } | undefined {
  if (!isRecord(value)) return undefined;
  const read: [string, string][] = [];
  const rejected: string[] = [];
  for (const [name, content] of Object.entries(value)) {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof content);
    if (isPlain && /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) && name !== '__proto__')
      read.push([name, String(content)]);
    else rejected.push(name);
  }
  return { variables: Object.fromEntries(read), rejected };
}

const VISIBLE_PARTS = (Object.keys(DEFAULT_LAYOUT) as (keyof Layout)[]).filter(
  (part) => part !== 'width' && part !== 'coverSize' && part !== 'coverMask',
);

function layout({ attributes, unknownKeys }: ParseState, value: unknown): boolean {
  // The name of a template of Jekyll, Hugo, VitePress and other tools.
  if (typeof value === 'string') {
    unknownKeys.push('layout');
    return true;
  }
  if (!isRecord(value)) return false;
  const { size, mask } = isRecord(value.cover) ? value.cover : {};
  attributes.layout = {
    ...DEFAULT_LAYOUT,
    ...Object.fromEntries(VISIBLE_PARTS.map((part) => [part, isVisible(value[part])])),
    width: value.width === 'wide' ? 'wide' : 'default',
    coverSize: size === 'full' ? 'full' : 'hero',
    coverMask: mask === 'radial' ? 'radial' : 'none',
  };
  const known: readonly string[] = [...VISIBLE_PARTS, 'width'];
  for (const part of Object.keys(value)) if (!known.includes(part)) unknownKeys.push(`layout.${part}`);
  return true;
}

/** Parses tags: slugs, also in one text with commas as other tools have them, or objects as in the API. */
function tags({ attributes }: ParseState, value: unknown): boolean {
  const given = typeof value === 'string' ? tagsInText(value) : value;
  if (!Array.isArray(given) || given.length > MAX_TAGS) return false;
  const read = given.map((item: unknown) =>
    PageTag.safeParse(isRecord(item) ? item : { tag: tagSlug(item) }),
  );
  if (!read.every(({ success }) => success)) return false;
  const found = uniqueTags(read.flatMap(({ data }) => data ?? []));
  if (found.length > 0) attributes.tags = found;
  return true;
}

const tagsInText = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

const tagSlug = (item: unknown): unknown => (typeof item === 'number' ? String(item) : item);

function isVisible(part: unknown): boolean {
  return isRecord(part) ? part.visible !== false : part !== false;
}

function lineOfKey(yaml: string, key: string): number | undefined {
  const index = yaml.split('\n').findIndex((line) => line.startsWith(`${key}:`));
  return index < 0 ? undefined : index + 2;
}
