import type { ContentRef } from './document.ts';

/** What the published schemas say of a type of block or inline. */
export interface PublishedType {
  isVoid: boolean;
  /** The fields of its `data`. */
  data: readonly string[];
  /** Whether `data` may be absent. */
  isPlain?: boolean;
  /** Kinds of reference that its fields may have, where not all may. */
  refs?: Readonly<Record<string, readonly ContentRef['kind'][]>>;
  /** Fields it cannot be without. */
  required?: readonly string[];
  /** The values a field may have, where they are few. The first stands for others in a field that is required. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** Types of block that it holds; inlines and text where absent. */
  blocks?: ReadonlySet<string>;
  /** Types of inline that it holds; any where absent. */
  inlines?: ReadonlySet<string>;
  /** Blocks in the fragments it has, by their name, or in any with `*`. */
  fragments?: Readonly<Record<string, ReadonlySet<string>>>;
  /** Whether each of these fragments has its name as its type as well, and holds a block. */
  fillsFragments?: boolean;
  /** The fragment that holds no more than one. */
  single?: string;
}

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

const ESSENTIALS = [
  'paragraph',
  'heading-1',
  'heading-2',
  'heading-3',
  'list-ordered',
  'list-unordered',
  'list-tasks',
  'divider',
];
const OPENAPI = ['swagger', 'openapi-operation', 'openapi-schemas', 'openapi-webhook'];
const MEDIA = ['content-ref', 'embed', 'file', 'images', 'drawing', 'integration'];

/** Types of block that a document holds. */
export const TOP_LEVEL: ReadonlySet<string> = new Set([
  ...ESSENTIALS,
  ...OPENAPI,
  ...MEDIA,
  'blockquote',
  'hint',
  'code',
  'math',
  'expandable',
  'tabs',
  'table',
  'reusable-content',
  'stepper',
  // Not among them in the published schemas, though they describe both.
  'if',
  'columns',
]);
const STEP = new Set([...ESSENTIALS, ...MEDIA, 'code', 'hint', 'blockquote', 'math']);
const ITEMS = new Set(['list-item']);
const PARAGRAPH = new Set(['paragraph']);
const IMAGE_REFS = { ref: ['url', 'file'], refDark: ['url', 'file'] } as const;
const SPEC_REF = { ref: ['openapi'] } as const;
const TEXT = { isVoid: false, isPlain: true, data: ['align'] };

export const PUBLISHED_BLOCKS: ReadonlyMap<string, PublishedType> = new Map(
  Object.entries<PublishedType>({
    paragraph: TEXT,
    'heading-1': { isVoid: false, data: ['id', 'align'] },
    'heading-2': { isVoid: false, data: ['id', 'align'] },
    'heading-3': { isVoid: false, data: ['id', 'align'] },
    'list-ordered': { isVoid: false, data: ['start'], blocks: ITEMS },
    'list-unordered': { isVoid: false, isPlain: true, data: [], blocks: ITEMS },
    'list-tasks': { isVoid: false, isPlain: true, data: [], blocks: ITEMS },
    'list-item': {
      isVoid: false,
      isPlain: true,
      data: ['checked'],
      blocks: new Set([...ESSENTIALS, 'code', 'hint', 'blockquote', 'math', 'table']),
    },
    divider: { isVoid: true, data: [] },
    blockquote: { isVoid: false, isPlain: true, data: [], blocks: new Set([...ESSENTIALS, 'blockquote']) },
    hint: {
      isVoid: false,
      data: ['style'],
      required: ['style'],
      values: { style: ['info', 'warning', 'danger', 'success'] },
      blocks: new Set(ESSENTIALS),
    },
    code: {
      isVoid: false,
      data: ['syntax', 'title', 'overflow', 'lineNumbers', 'fullWidth', 'expandable', 'collapsedLineCount'],
      blocks: new Set(['code-line']),
    },
    'code-line': { isVoid: false, data: ['highlighted'], inlines: new Set(['annotation', 'expression']) },
    math: { isVoid: true, data: ['formula'], required: ['formula'] },
    table: {
      isVoid: true,
      data: ['view', 'records', 'definition', 'fullWidth'],
      fragments: {
        '*': new Set([
          ...TOP_LEVEL,
          'list-item',
          'image',
          'code-line',
          'tabs-item',
          'stepper-step',
          'column',
        ]),
      },
    },
    if: { isVoid: false, data: ['expression'], required: ['expression'], blocks: TOP_LEVEL },
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
      fragments: { caption: PARAGRAPH },
    },
    file: { isVoid: true, data: ['ref'], required: ['ref'], refs: { ref: ['file'] } },
    drawing: { isVoid: true, data: ['ref'], refs: { ref: ['file'] } },
    embed: { isVoid: true, data: ['url', 'fullWidth'], required: ['url'] },
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
      single: 'expandable-title',
      fragments: {
        'expandable-title': PARAGRAPH,
        'expandable-body': new Set([
          ...ESSENTIALS,
          'images',
          'code',
          'table',
          'hint',
          'blockquote',
          'reusable-content',
        ]),
      },
    },
    tabs: { isVoid: false, isPlain: true, data: ['fullWidth'], blocks: new Set(['tabs-item']) },
    'tabs-item': { isVoid: false, data: ['title'], blocks: STEP },
    stepper: { isVoid: false, isPlain: true, data: [], blocks: new Set(['stepper-step']) },
    'stepper-step': { isVoid: false, data: ['icon'], blocks: STEP },
    columns: { isVoid: false, data: ['fullWidth'], blocks: new Set(['column']) },
    column: { isVoid: false, data: ['width', 'verticalAlignment'], blocks: new Set([...STEP, 'table']) },
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
    // Ours: Markdown that is not understood.
    markdown: { isVoid: true, data: ['markdown'] },
  }),
);

export const PUBLISHED_INLINES: ReadonlyMap<string, PublishedType> = new Map(
  Object.entries<PublishedType>({
    'inline-image': {
      isVoid: true,
      data: ['ref', 'refDark', 'caption', 'alt', 'size'],
      required: ['ref'],
      values: { size: ['original', 'line'] },
      refs: IMAGE_REFS,
    },
    link: { isVoid: false, data: ['ref'], required: ['ref'], inlines: new Set(['inline-image']) },
    emoji: { isVoid: true, data: ['code'], required: ['code'] },
    icon: { isVoid: true, data: ['icon', 'color'], required: ['icon'], values: { color: COLORS } },
    expression: { isVoid: true, data: ['expression'], required: ['expression'] },
    'inline-math': { isVoid: true, data: ['formula'], required: ['formula'] },
    annotation: {
      isVoid: false,
      isPlain: true,
      data: [],
      inlines: new Set(),
      fragments: { 'annotation-body': new Set([...ESSENTIALS, 'code']) },
      fillsFragments: true,
    },
    mention: { isVoid: true, data: ['ref'], required: ['ref'] },
    button: {
      isVoid: true,
      data: ['label', 'kind', 'ref', 'icon'],
      required: ['label', 'kind', 'ref'],
      values: { kind: ['primary', 'secondary'] },
    },
    // Ours: Markdown that is not understood.
    markdown: { isVoid: true, data: ['markdown'] },
  }),
);
