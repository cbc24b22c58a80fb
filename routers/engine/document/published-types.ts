import type { ContentRef } from './document.ts';

/** A type of block or inline in the published schemas. */
export interface PublishedType {
  isVoid: boolean;
  /** The fields of its `data`. */
  data: readonly string[];
  /** Whether `data` may be absent. */
  isDataOptional?: boolean;
  /** The kinds of references that fields may have, if not all are allowed. */
  refs?: Readonly<Record<string, readonly ContentRef['kind'][]>>;
  /** Required fields of `data`. */
  required?: readonly string[];
  /** Fields of which it has exactly one; if several are present, the first one is used. */
  oneOf?: readonly string[];
  /** The allowed values of fields. In a required field, the first one replaces any other value. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** The blocks it may contain: any, or only its parts, such as list items. If absent, it contains inlines and text. */
  blocks?: 'any' | ReadonlySet<string>;
  /** The exact number of parts, if it is fixed. */
  count?: number;
  /** The types of inlines it may contain; any if absent. */
  inlines?: ReadonlySet<string> | 'no links';
  /** What its fragments may contain, by name (`*` for any name): any blocks, or only paragraphs. */
  fragments?: Readonly<Record<string, 'any' | 'paragraphs'>>;
  /** Whether its fragments need a type, which is their name, and at least one block. */
  fillsFragments?: boolean;
  /** The fragment that may contain only one paragraph. */
  singleParagraphFragment?: string;
}

/** Whether a value is an ISO 8601 date, with or without a time. */
export const isDate = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(value) &&
  !Number.isNaN(Date.parse(value));

/** Colors of text and icons. */
export const COLORS: readonly string[] = [
  'default',
  'green',
  'blue',
  'red',
  'orange',
  'yellow',
  'purple',
  '$primary',
  '$info',
  '$success',
  '$warning',
  '$danger',
];

const ITEMS = new Set(['list-item']);
const CAPTION = { caption: 'paragraphs' } as const;
const IMAGE_REFS = { ref: ['url', 'file'], refDark: ['url', 'file'] } as const;
const SPEC_REF = { ref: ['openapi'] } as const;
const TEXT: PublishedType = { isVoid: false, isDataOptional: true, data: ['align'] };

export const PUBLISHED_BLOCKS: ReadonlyMap<string, PublishedType> = new Map(
  Object.entries<PublishedType>({
    paragraph: TEXT,
    'heading-1': { isVoid: false, data: ['id', 'align'] },
    'heading-2': { isVoid: false, data: ['id', 'align'] },
    'heading-3': { isVoid: false, data: ['id', 'align'] },
    'list-ordered': { isVoid: false, data: ['start'], blocks: ITEMS },
    'list-unordered': { isVoid: false, isDataOptional: true, data: [], blocks: ITEMS },
    'list-tasks': { isVoid: false, isDataOptional: true, data: [], blocks: ITEMS },
    'list-item': { isVoid: false, isDataOptional: true, data: ['checked'], blocks: 'any' },
    divider: { isVoid: true, data: [] },
    blockquote: { isVoid: false, isDataOptional: true, data: [], blocks: 'any' },
    hint: {
      isVoid: false,
      data: ['style', 'icon'],
      required: ['style'],
      values: { style: ['info', 'warning', 'danger', 'success'] },
      blocks: 'any',
    },
    code: {
      isVoid: false,
      data: ['syntax', 'title', 'overflow', 'lineNumbers', 'fullWidth', 'expandable', 'collapsedLineCount'],
      blocks: new Set(['code-line']),
    },
    'code-line': { isVoid: false, data: ['highlighted'], inlines: new Set(['annotation', 'expression']) },
    prompt: {
      isVoid: false,
      data: ['description', 'icon', 'openInAIProviders', 'defaultExpanded'],
      required: ['description'],
      values: { defaultExpanded: ['hidden', 'partial', 'full'] },
      blocks: new Set(['code']),
      count: 1,
    },
    math: { isVoid: true, data: ['formula'], required: ['formula'] },
    table: {
      isVoid: true,
      data: ['view', 'records', 'definition', 'fullWidth'],
      fragments: { '*': 'any' },
    },
    if: { isVoid: false, data: ['expression'], required: ['expression'], blocks: 'any' },
    images: {
      isVoid: false,
      data: ['align', 'fullWidth', 'withFrame'],
      values: { align: ['center', 'left', 'right'] },
      blocks: new Set(['image']),
    },
    image: {
      isVoid: true,
      data: ['ref', 'refDark', 'width', 'height', 'alt'],
      required: ['ref'],
      refs: IMAGE_REFS,
      fragments: CAPTION,
    },
    // Not in the schemas: the captions of these blocks, which are rendered like those of images.
    file: { isVoid: true, data: ['ref'], required: ['ref'], refs: { ref: ['file'] }, fragments: CAPTION },
    drawing: { isVoid: true, data: ['ref'], refs: { ref: ['file'] }, fragments: CAPTION },
    embed: { isVoid: true, data: ['url', 'fullWidth'], required: ['url'], fragments: CAPTION },
    'content-ref': { isVoid: true, data: ['ref'], required: ['ref'] },
    'reusable-content': {
      isVoid: true,
      data: ['ref'],
      required: ['ref'],
      refs: { ref: ['reusable-content'] },
    },
    integration: {
      isVoid: true,
      data: ['integration', 'block', 'props', 'action', 'url', 'fullWidth'],
      required: ['integration', 'block', 'props'],
    },
    expandable: {
      isVoid: true,
      data: [],
      fillsFragments: true,
      singleParagraphFragment: 'expandable-title',
      fragments: { 'expandable-title': 'paragraphs', 'expandable-body': 'any' },
    },
    tabs: { isVoid: false, isDataOptional: true, data: ['fullWidth'], blocks: new Set(['tabs-item']) },
    'tabs-item': { isVoid: false, data: ['title', 'icon', 'slug'], blocks: 'any' },
    stepper: { isVoid: false, isDataOptional: true, data: [], blocks: new Set(['stepper-step']) },
    'stepper-step': { isVoid: false, data: ['icon'], blocks: 'any' },
    columns: { isVoid: false, data: ['fullWidth'], blocks: new Set(['column']) },
    column: { isVoid: false, data: ['width', 'verticalAlignment'], blocks: 'any' },
    updates: {
      isVoid: false,
      data: ['format'],
      required: ['format'],
      values: { format: ['full', 'numeric', 'short'] },
      blocks: new Set(['update']),
    },
    update: { isVoid: false, data: ['date', 'tags'], required: ['date'], blocks: 'any' },
    swagger: {
      isVoid: true,
      data: ['ref', 'path', 'method', 'expanded', 'fullWidth'],
      required: ['ref', 'path', 'method'],
      refs: { ref: ['file', 'url'] },
    },
    'openapi-operation': {
      isVoid: true,
      data: ['ref', 'path', 'method'],
      required: ['ref', 'path', 'method'],
      refs: SPEC_REF,
    },
    'openapi-schemas': {
      isVoid: true,
      data: ['ref', 'schemas', 'grouped'],
      required: ['ref', 'schemas'],
      refs: SPEC_REF,
    },
    'openapi-webhook': {
      isVoid: true,
      data: ['ref', 'name', 'method'],
      required: ['ref', 'name', 'method'],
      refs: SPEC_REF,
    },
    // Not in the schemas: what readers do not see, such as comments.
    markdown: { isVoid: true, data: ['markdown'] },
  }),
);

/** The container of each type of block that can only be in one type of container. */
export const CONTAINER_OF: ReadonlyMap<string, string> = new Map([
  ...[...PUBLISHED_BLOCKS].flatMap(([container, { blocks }]): [string, string][] =>
    blocks === undefined || blocks === 'any' || container === 'prompt'
      ? []
      : [...blocks].map((part) => [part, container]),
  ),
  ['list-item', 'list-unordered'],
]);

export const PUBLISHED_INLINES: ReadonlyMap<string, PublishedType> = new Map(
  Object.entries<PublishedType>({
    'inline-image': {
      isVoid: true,
      data: ['ref', 'refDark', 'caption', 'alt', 'size'],
      required: ['ref'],
      values: { size: ['original', 'line'] },
      refs: IMAGE_REFS,
    },
    link: { isVoid: false, data: ['ref'], required: ['ref'], inlines: 'no links' },
    emoji: { isVoid: true, data: ['code'], required: ['code'] },
    icon: { isVoid: true, data: ['icon', 'color'], required: ['icon'], values: { color: COLORS } },
    expression: { isVoid: true, data: ['expression'], required: ['expression'] },
    'inline-math': { isVoid: true, data: ['formula'], required: ['formula'] },
    annotation: {
      isVoid: false,
      isDataOptional: true,
      data: [],
      inlines: new Set(),
      fragments: { 'annotation-body': 'any' },
      fillsFragments: true,
    },
    mention: { isVoid: true, data: ['ref'], required: ['ref'] },
    button: {
      isVoid: true,
      data: ['label', 'kind', 'size', 'icon', 'ref', 'action'],
      required: ['label', 'kind'],
      oneOf: ['ref', 'action'],
      values: { kind: ['primary', 'secondary'], size: ['large', 'medium', 'small'] },
    },
    // Not in the schemas: what readers do not see, such as comments.
    markdown: { isVoid: true, data: ['markdown'] },
  }),
);
