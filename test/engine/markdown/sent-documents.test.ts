/** Documents that clients send, with content that Markdown has to write with care to keep. */

import { describe, expect, test } from 'vitest';
import type { Block, BlockNode, Data, Document, Inline } from '../../../routers/engine/document/document.ts';
import { evaluateDocument } from '../../../routers/engine/expressions/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { paragraph, textNode } from '../../../routers/engine/markdown/nodes.ts';

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
const readAgain = (...nodes: Block[]): Block[] => parseMarkdown(serializeMarkdown(documentOf(...nodes))).nodes;

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

  test.for([[''], [' '], [undefined], ['%}'], ['a\n%}']])('that cannot be read shows nothing: %j', ([expression]) => {
    expect(shown(expression, {})).toBe(false);
  });

  test('that is no text shows nothing, as any that cannot be read', () => {
    const document = documentOf(block('if', { expression: 5 }, secret), block('if', {}, secret));
    expect(evaluateDocument(document, {}, 'all').nodes).toEqual([]);
  });

  test('is written as it is now, not as it once was', () => {
    const document = parseMarkdown('{%if a%}\nsecret\n{% endif %}\n');
    const [condition] = document.nodes as [Block];
    condition.data = { expression: 'b' };
    expect(serializeMarkdown(document)).toContain('{% if b %}');
  });
});

test.for([['%}'], ['"%}'], ['\\}'], ['\\%}\\\\}'], ['%\\}'], ['}%}}']])('an attribute keeps %j', ([title]) => {
  const line = block('code-line', {}, textNode('a'));
  expect(readAgain(block('code', { title }, line))).toMatchObject([{ type: 'code', data: { title } }]);
  const integration = { integration: 'a', block: 'b', props: { title } };
  expect(readAgain(block('integration', integration))).toMatchObject([{ data: integration }]);
});
