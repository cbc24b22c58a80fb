/** Documents that clients send, with content that Markdown has to write with care to keep. */

import { describe, expect, test } from 'vitest';
import {
  type Block,
  type BlockNode,
  type Data,
  type Document,
  DocumentInput,
  type Inline,
} from '../../../routers/engine/document/document.ts';
import { PUBLISHED_BLOCKS, PUBLISHED_INLINES } from '../../../routers/engine/document/published-types.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { evaluateDocument } from '../../../routers/engine/expressions/document.ts';
import { collectDocumentLinks, linkRowsOf } from '../../../routers/engine/links/document-links.ts';
import { carryKeys, normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { fragment, paragraph, textNode } from '../../../routers/engine/markdown/nodes.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

const documentOf = (...nodes: Block[]): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes,
});
const block = (type: string, data: Data, ...nodes: BlockNode[]): Block => ({
  object: 'block',
  type,
  data,
  nodes,
});
const inline = (type: string, data: Data, ...nodes: Inline['nodes'] & object): Inline => ({
  object: 'inline',
  type,
  data,
  ...(nodes.length > 0 && { nodes }),
});
const readAgain = (...nodes: Block[]): Block[] =>
  parseMarkdown(serializeMarkdown(documentOf(...nodes))).nodes;

describe('a condition', () => {
  const secret = paragraph([textNode('secret')]);
  const shown = (expression: unknown, claims: Data) => {
    const nodes = readAgain(block('if', { expression }, secret));
    expect(nodes).toMatchObject([{ type: 'if' }]);
    return evaluateDocument(documentOf(...nodes), { visitor: { claims } }, 'all').nodes.length > 0;
  };

  test.for([
    ['on several lines', 'visitor.claims.a ==\n"b"', 'b'],
    ['with the end of a tag in a string', 'visitor.claims.a == "%}"', '%}'],
    ['with the end of a tag behind a backslash', String.raw`visitor.claims.a == "\%}\\"`, '%}\\'],
    ['with a line end in a string', "visitor.claims.a == 'x\ny'", 'x\ny'],
    ['with an escaped line end in a string', "visitor.claims.a == '\\\\\\\ny'", '\\\ny'],
  ] as const)('%s is written as one that means the same', ([, expression, value]) => {
    expect(shown(expression, { a: value })).toBe(true);
    expect(shown(expression, { a: 'other' })).toBe(false);
  });

  test.for([[''], [' '], [undefined], ['%}'], ['a\n%}']])(
    'a condition that cannot be read shows nothing: %j',
    ([expression]) => {
      expect(shown(expression, {})).toBe(false);
    },
  );

  test('a condition that is no text shows nothing, as any that cannot be read', () => {
    const document = documentOf(block('if', { expression: 5 }, secret), block('if', {}, secret));
    expect(evaluateDocument(document, {}, 'all').nodes).toEqual([]);
  });

  test('a condition is written as it is now, not as it once was', () => {
    const document = parseMarkdown('{%if a%}\nsecret\n{% endif %}\n');
    const [condition] = document.nodes as [Block];
    condition.data = { expression: 'b' };
    expect(serializeMarkdown(document)).toContain('{% if b %}');
  });
});

test.for([['%}'], ['"%}'], ['\\}'], ['\\%}\\\\}'], ['%\\}'], ['}%}}']])(
  'an attribute keeps %j',
  ([title]) => {
    const line = block('code-line', {}, textNode('a'));
    expect(readAgain(block('code', { title }, line))).toMatchObject([{ type: 'code', data: { title } }]);
    const integration = { integration: 'a', block: 'b', props: { title } };
    expect(readAgain(block('integration', integration))).toMatchObject([{ data: integration }]);
  },
);

/** Values that a field of data may have though none means anything there. */
const ODD: unknown[] = [
  ...[null, 5, '', 'constructor', [], [null], ['x'], {}, { a: null }, [{ object: 'mark' }]],
  ...[{ kind: 'openapi' }, { kind: 'openapi', spec: 5 }, { kind: 'url', url: {} }, { kind: 'page' }],
  ...[{ kind: 'anchor', anchor: 'a', page: 5 }, { c1: null }, { c1: { id: 5, title: {} } }, { r1: null }],
  ...[{ c1: { type: 'constructor' } }, { c1: { type: 'select', options: [null] } }, { r1: { values: null } }],
];

/** Fields of data that some types need. */
const COMPLETE: Data = {
  ...{ ref: { kind: 'url', url: 'u' }, url: 'u', integration: 'a', block: 'b', props: {}, formula: 'x' },
  ...{ expression: 'a', path: '/a', method: 'get', schemas: ['A'], name: 'n', style: 'info', code: '1f389' },
  ...{ icon: 'i', label: 'l', kind: 'primary', markdown: 'm', view: { type: 'grid', columns: ['c1'] } },
  records: { r1: { orderIndex: '1', values: { c1: 'f' } } },
  definition: { c1: { id: 'c1', title: 't', type: 'text' } },
};

describe('data of any shape', () => {
  /** All that is done with a document that was accepted; of some it is known that they may be refused. */
  const use = (node: Block, mayBeRefused: boolean) => {
    const { data: accepted } = DocumentInput.safeParse(documentOf(node));
    if (!accepted && mayBeRefused) return;
    const document = normalizeDocument(accepted as Document);
    expect(parseMarkdown(serializeMarkdown(document)).nodes).toBeInstanceOf(Array);
    linkRowsOf('hash', collectDocumentLinks(document));
    plainText(published(document));
    carryKeys(document, document);
    serializeMarkdown(evaluateDocument(document, {}, 'all'));
  };
  const fields = [
    ...Object.keys(COMPLETE),
    'marks',
    'label',
    'title',
    'refs',
    'id',
    'width',
    'align',
    'size',
  ];
  const types = [...PUBLISHED_BLOCKS.keys(), 'constructor'];
  const inlineTypes = [...PUBLISHED_INLINES.keys(), 'constructor'];

  test.for(types)(
    'data of any shape can be written, answered and searched for links in a block of type %s',
    (type) => {
      for (const field of fields) {
        for (const value of ODD) {
          const made = block(type, { ...COMPLETE, [field]: value }, paragraph([textNode('x')]));
          const fragments = [fragment('f', [paragraph([])]), fragment('constructor', [])];
          use({ ...made, fragments }, type === 'table');
        }
      }
    },
  );

  test.for(inlineTypes)(
    'data of any shape can be written, answered and searched for links in an inline of type %s',
    (type) => {
      for (const field of fields) {
        for (const value of ODD) {
          const made = inline(type, { ...COMPLETE, [field]: value }, textNode('x'));
          use(paragraph([made]), field === 'marks');
        }
      }
    },
  );
});
