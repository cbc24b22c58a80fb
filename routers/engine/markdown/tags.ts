import type { Block, ContentRef, Data } from '../document/document.ts';
import { isDate } from '../document/published-types.ts';
import { asRef, type Href, labelOf, type RefKind, type RefOf } from '../document/refs.ts';
import { sameJson } from '../store/canonical.ts';
import { parseLength, writeLength } from './html/image-tags.ts';
import { stringIn } from './nodes.ts';
import {
  escapeValue,
  parseAttributes,
  unescapeCode,
  unescapeValue,
  writeAttribute,
  writeProperty,
} from './tag-attributes.ts';

/** How a template tag maps to a type of block. */
export type TagRule = {
  tag: string;
  type: string;
  /**
   * The content between the tag and its end: blocks; one code block; a caption, which may be missing together with the
   * end; a link for readers of the plain file, likewise; or nothing.
   */
  body: 'blocks' | 'code' | 'caption' | 'label' | 'none';
  /** Attributes in the order they are written. Others are kept as strings. */
  attributes: readonly string[];
  /** The attribute for `data.ref`. */
  ref?: readonly [attribute: string, kind: RefKind];
  /** The only type of child, and for a child the tag it has to be in. */
  child?: string;
  /** How many children it must have. */
  count?: number;
  parent?: string;
  /** Required attributes. */
  required?: readonly string[];
  /** The values of attributes that are not written. */
  defaults?: Data;
};

const RULES: readonly TagRule[] = [
  { tag: 'hint', type: 'hint', body: 'blocks', attributes: ['style', 'icon'], defaults: { style: 'info' } },
  { tag: 'tabs', type: 'tabs', body: 'blocks', attributes: ['fullWidth'], child: 'tabs-item' },
  { tag: 'tab', type: 'tabs-item', body: 'blocks', attributes: ['title', 'icon'], parent: 'tabs' },
  // The former tags of tabs with code, which are written as those above.
  { tag: 'code-tabs', type: 'tabs', body: 'blocks', attributes: [], child: 'tabs-item' },
  { tag: 'code-tabs-item', type: 'tabs-item', body: 'blocks', attributes: ['title'], parent: 'code-tabs' },
  { tag: 'stepper', type: 'stepper', body: 'blocks', attributes: [], child: 'stepper-step' },
  { tag: 'step', type: 'stepper-step', body: 'blocks', attributes: ['icon'], parent: 'stepper' },
  { tag: 'columns', type: 'columns', body: 'blocks', attributes: ['fullWidth'], child: 'column' },
  {
    tag: 'column',
    type: 'column',
    body: 'blocks',
    attributes: ['width', 'verticalAlignment'],
    parent: 'columns',
  },
  { tag: 'if', type: 'if', body: 'blocks', attributes: [] },
  {
    tag: 'prompt',
    type: 'prompt',
    body: 'blocks',
    attributes: ['description', 'icon', 'openInAIProviders', 'defaultExpanded'],
    child: 'code',
    required: ['description'],
    count: 1,
  },
  {
    tag: 'updates',
    type: 'updates',
    body: 'blocks',
    attributes: ['format'],
    child: 'update',
    defaults: { format: 'full' },
  },
  {
    tag: 'update',
    type: 'update',
    body: 'blocks',
    attributes: ['date', 'tags'],
    parent: 'updates',
    required: ['date'],
  },
  {
    tag: 'code',
    type: 'code',
    body: 'code',
    attributes: ['title', 'overflow', 'lineNumbers', 'fullWidth', 'expandable', 'collapsedLineCount'],
  },
  { tag: 'embed', type: 'embed', body: 'caption', attributes: ['url', 'fullWidth'] },
  { tag: 'file', type: 'file', body: 'caption', attributes: ['src'], ref: ['src', 'file'] },
  { tag: 'content-ref', type: 'content-ref', body: 'label', attributes: ['url'], ref: ['url', 'link'] },
  // The former name of `content-ref`, which is written instead.
  { tag: 'page-ref', type: 'content-ref', body: 'label', attributes: ['page'], ref: ['page', 'link'] },
  {
    tag: 'openapi',
    type: 'swagger',
    body: 'label',
    attributes: ['src', 'path', 'method', 'expanded', 'fullWidth'],
    ref: ['src', 'openapi'],
  },
  // The former name of `openapi`, which is written instead.
  {
    tag: 'swagger',
    type: 'swagger',
    body: 'label',
    attributes: ['src', 'path', 'method', 'expanded', 'fullWidth'],
    ref: ['src', 'openapi'],
  },
  {
    tag: 'openapi-operation',
    type: 'openapi-operation',
    body: 'label',
    attributes: ['spec', 'path', 'method'],
    ref: ['spec', 'openapi'],
  },
  {
    tag: 'openapi-schemas',
    type: 'openapi-schemas',
    body: 'label',
    attributes: ['spec', 'schemas', 'grouped'],
    ref: ['spec', 'openapi'],
  },
  {
    tag: 'openapi-webhook',
    type: 'openapi-webhook',
    body: 'label',
    attributes: ['spec', 'name', 'method'],
    ref: ['spec', 'openapi'],
  },
  { tag: 'include', type: 'reusable-content', body: 'none', attributes: [], ref: ['', 'include'] },
];
const BY_TAG = new Map(RULES.map((rule) => [rule.tag, rule]));
const BY_TYPE = new Map(RULES.toReversed().map((rule) => [rule.type, rule]));

export function ruleOfTag(tag: string): TagRule | undefined {
  return BY_TAG.get(tag);
}

export function ruleOfType(type: string): TagRule | undefined {
  return BY_TYPE.get(type);
}

const BOOLEANS = new Set([
  'lineNumbers',
  'fullWidth',
  'expandable',
  'expanded',
  'grouped',
  'openInAIProviders',
]);
/** Data that is not an attribute of the tag. */
const NOT_ATTRIBUTES = new Set(['format', 'ref', 'syntax', 'expression']);
const isNoAttribute = (rule: TagRule, name: string): boolean =>
  NOT_ATTRIBUTES.has(name) && !rule.attributes.includes(name);

const POSITIONAL = /^\s+"((?:[^"\\]|\\.)*)"\s*$/;

/** The block data a tag gives; undefined if anything in the tag is unknown. */
export function parseTag(rule: TagRule, source: string, refOf: RefOf): Data | undefined {
  const inner = source.slice(2, -2).trimStart().slice(rule.tag.length);
  if (rule.tag === 'if') {
    const expression = inner.trim();
    return expression === '' ? undefined : { expression };
  }
  const attributes = new Map<string, string>();
  const positional = POSITIONAL.exec(inner);
  if (rule.ref?.[0] === '') {
    if (!positional) return undefined;
    attributes.set('', unescapeValue(positional[1] ?? ''));
  } else {
    const written = parseAttributes(inner);
    if (!written) return undefined;
    for (const [name, value] of written) {
      if (isNoAttribute(rule, name)) return undefined;
      attributes.set(name, value);
    }
  }
  return dataOf(rule, attributes, refOf);
}

const INTEGRATION = /^\{%\s*@([\w-]+)\/([\w-]+)((?:[^\w-].*)?)%\}$/s;

/** The data of `{% @integration/block prop="value" %}`; undefined if anything in it is unknown. */
export function parseIntegration(source: string): Data | undefined {
  const match = INTEGRATION.exec(source);
  const props = match && parseAttributes((match[3] ?? '').trimEnd(), unescapeCode);
  return props ? { integration: match[1], block: match[2], props: Object.fromEntries(props) } : undefined;
}

export function writeIntegration(data: Data, written: string | undefined): string {
  const props = (data.props ?? {}) as Data;
  const isSame =
    written !== undefined &&
    sameJson(parseIntegration(written), { integration: data.integration, block: data.block, props });
  if (isSame) return written;
  const text = Object.keys(props)
    .sort()
    .map((name) => writeProperty(name, writeValue(name, props[name])))
    .join('');
  return `{% @${stringIn(data, 'integration') ?? ''}/${stringIn(data, 'block') ?? ''}${text} %}`;
}

function dataOf(rule: TagRule, attributes: ReadonlyMap<string, string>, refOf: RefOf): Data | undefined {
  const data: Data = { ...rule.defaults };
  for (const [name, value] of attributes) {
    if (name === rule.ref?.[0]) {
      data.ref = name === 'spec' ? { kind: 'openapi', spec: value } : refOf(value, rule.ref[1]);
    } else data[name] = readValue(name, value);
  }
  if (
    rule.required?.some((name) => data[name] === undefined) ||
    (rule.tag === 'update' && !isDate(data.date))
  )
    return undefined;
  return rule.ref && data.ref === undefined ? undefined : data;
}

function readValue(name: string, value: string): unknown {
  if (BOOLEANS.has(name) && (value === 'true' || value === 'false')) return value === 'true';
  if (name === 'collapsedLineCount' && /^[1-9]\d{0,5}$/.test(value)) return Number(value);
  if (name === 'schemas') return value.split(',');
  if (name === 'tags')
    return value === '' ? [] : value.split(',').map((tag) => ({ kind: 'tag', tag: tag.trim() }));
  return name === 'width' ? (parseLength(value) ?? value) : value;
}

function writeValue(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (name === 'schemas' && Array.isArray(value))
    return value.filter((schema) => typeof schema === 'string').join(',');
  if (name === 'tags' && Array.isArray(value)) return value.flatMap(slugOfTag).join(',');
  if (name === 'width' && typeof value === 'object') return writeLength(value);
  return typeof value === 'object' ? undefined : String(value);
}

const slugOfTag = (ref: unknown): string | [] => {
  const tag = (ref as Data | null)?.tag;
  return typeof tag === 'string' ? tag : [];
};

function attributesOf(rule: TagRule, data: Data, hrefOf: Href): [string, string][] {
  const result: [string, string][] = [];
  const ref = asRef(data.ref);
  const others = Object.keys(data)
    .filter(
      (name) =>
        !rule.attributes.includes(name) && !isNoAttribute(rule, name) && /^[a-zA-Z_][\w-]*$/.test(name),
    )
    .sort();
  for (const name of [...rule.attributes, ...others]) {
    const isRef = name === rule.ref?.[0];
    const value = isRef && ref ? refValue(name, ref, hrefOf) : writeValue(name, data[name]);
    if (value !== undefined) result.push([name, value]);
  }
  return result;
}

function refValue(name: string, ref: ContentRef, hrefOf: Href): string {
  return name === 'spec' && ref.kind === 'openapi' ? ref.spec : hrefOf(ref);
}

/** The opening tag of a block: as it was written if that is still equivalent, else in the usual way. */
export function writeTag(rule: TagRule, block: Block, hrefOf: Href, written: string | undefined): string {
  const data = block.data ?? {};
  if (rule.tag === 'if') return writeCondition(stringIn(data, 'expression') ?? '', written);
  if (rule.ref?.[0] === '') {
    const ref = asRef(data.ref);
    return `{% ${rule.tag} "${escapeValue(ref ? hrefOf(ref) : '')}" %}`;
  }
  const attributes = attributesOf(rule, data, hrefOf);
  if (written !== undefined && isEquivalent(rule, written, attributes)) return written;
  const text = attributes.map(([name, value]) => writeAttribute(name, value)).join('');
  return `{% ${rule.tag}${text} %}`;
}

/**
 * A condition on one line, where a line end is a blank, and in a string its escape. So is `%}`, which would end the tag,
 * and which only a string can have.
 */
function writeCondition(expression: string, written: string | undefined): string {
  if (written?.slice(2, -2).trim().slice('if'.length).trim() === expression.trim()) return written;
  let line = '';
  let quote = '';
  for (let index = 0; index < expression.length; index += 1) {
    const char = expression.charAt(index);
    const escaped = quote !== '' && char === '\\';
    const next = escaped ? expression.charAt(++index) : char;
    if (next === '\n' || next === '\r') line += quote === '' ? ' ' : next === '\n' ? '\\n' : '\\r';
    else if (escaped) line += char + next;
    else if (char === '}' && expression.charAt(index - 1) === '%') line += '\\}';
    else line += char;
    if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = '';
  }
  // An empty condition is not a missing one: it means false.
  return `{% if ${line.trim() || '""'} %}`;
}

function isEquivalent(rule: TagRule, written: string, attributes: readonly [string, string][]): boolean {
  const data = parseTag(rule, written, (url) => ({ kind: 'url', url }));
  if (!data) return false;
  const href = (ref: ContentRef) => (ref.kind === 'url' ? ref.url : '');
  const present = new Map(attributesOf(rule, data, href));
  return (
    present.size === attributes.length && attributes.every(([name, value]) => present.get(name) === value)
  );
}

/** The text that GitBook's exporter puts between a reference and its end, for readers of the plain file. */
export function defaultLabel(rule: TagRule, href: string): string | undefined {
  if (rule.tag !== 'content-ref' && rule.tag !== 'openapi') return undefined;
  return `[${labelOf(href)}](${href})`;
}
