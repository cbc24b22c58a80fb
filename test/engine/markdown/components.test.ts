import { describe, expect, test } from 'vitest';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { partsOf } from '../../../routers/engine/search/sections.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { read } from './published-blocks.ts';

const shown = (markdown: string): readonly Block[] => {
  expectExact(markdown);
  const document = published(read(markdown));
  expect(violationsOf(document)).toEqual([]);
  return document.nodes;
};

const TABS = `<Tabs groupId="os">
  <TabItem value="apple" label="Apple" default>
    This is an **apple**.

  </TabItem>
  <TabItem value="orange">Orange</TabItem>
</Tabs>
`.replace('\n\n', '\n');

const tabsOf = ([tabs, ...others]: readonly BlockNode[]): unknown[] => {
  expect(others).toEqual([]);
  const items = tabs?.object === 'block' && tabs.type === 'tabs' ? (tabs.nodes ?? []) : [];
  return items.flatMap((item) =>
    item.object === 'block' ? [[item.data?.title, plainText(item.nodes ?? [])]] : [],
  );
};

const typesAndTexts = (nodes: readonly Block[]): unknown[] =>
  nodes.map((node) => [node.type, plainText([node])]);

describe('components of MDX', () => {
  test('tabs are tabs', () => {
    expect(tabsOf(shown(TABS))).toEqual([
      ['Apple', 'This is an apple.'],
      ['orange', 'Orange'],
    ]);
  });

  test('what is in them is Markdown, with its links, code and other components', () => {
    const markdown = `<Tabs>
  <Tab title={'One'}>
    <Note>
      See [it](b.md).
    </Note>
  </Tab>
  <Tab title='Two'>
    \`\`\`jsx
    <Tabs>
    \`\`\`
  </Tab>
</Tabs>
`;
    const [tabs] = shown(markdown);
    const items = (tabs?.nodes ?? []) as Block[];
    expect(items.map(({ nodes = [] }) => typesAndTexts(nodes as Block[]))).toEqual([
      [['hint', 'See it.']],
      [['code', '<Tabs>']],
    ]);
    expect(JSON.stringify(tabs)).toContain('"url":"b.md"');
  });

  test.for<[string, string, string, string]>([
    ['<Note>\nText.\n</Note>\n', 'hint', 'info', 'Text.'],
    ['<Tip>\n  Text.\n</Tip>\n', 'hint', 'success', 'Text.'],
    ['<Aside type="caution" title="Title">\nText.\n</Aside>\n', 'hint', 'warning', 'Title\nText.'],
    [
      '<Callout type="error" onClick={() => { a({}) }} {...b}>\nText.\n</Callout>\n',
      'hint',
      'danger',
      'Text.',
    ],
  ])('callouts are hints: %s', ([markdown, type, style, text]) => {
    const [hint, ...others] = shown(markdown);
    expect([hint?.type, hint?.data?.style, plainText(hint ? [hint] : []), others]).toEqual([
      type,
      style,
      text,
      [],
    ]);
  });

  test('accordions are expandables, and what only wraps a block is that block', () => {
    const [accordion] = shown('<Accordion title="Title">\nText.\n</Accordion>\n');
    expect([accordion?.type, accordion?.fragments?.map(({ nodes }) => plainText(nodes))]).toEqual([
      'expandable',
      ['Title', 'Text.'],
    ]);
    expect(typesAndTexts(shown('<Steps>\n1. one\n2. two\n</Steps>\n'))).toEqual([
      ['list-ordered', 'one\ntwo'],
    ]);
  });

  test('tags that blank lines divide from what is in them show their labels', () => {
    const markdown =
      '<Tabs>\n  <TabItem value="a" label="A">\n\n```js\none\n```\n\n  </TabItem>\n  <TabItem value="b">\n\nTwo\n\n  </TabItem>\n</Tabs>\n';
    expect(typesAndTexts(shown(markdown).filter(({ type }) => type !== 'markdown'))).toEqual([
      ['paragraph', 'A'],
      ['code', 'one'],
      ['paragraph', 'b'],
      ['paragraph', 'Two'],
    ]);
  });

  test('cards show their titles, which are links, and descriptions', () => {
    const [cards] = shown(
      '<CardGrid>\n<LinkCard\n  href="b.md"\n  title="B &amp; C"\n  description="About it"\n/>\n<Card title={`D`}/>\n</CardGrid>\n',
    );
    expect([cards?.type, plainText(cards ? [cards] : [])]).toEqual(['paragraph', 'B & C About it D']);
    expect(JSON.stringify(cards)).toContain('"url":"b.md"');
  });

  test.for([
    '<Tabs>\n<TabItem label="A">\nText\n',
    '<Tabs>\nText\n<TabItem label="A">\nText\n</TabItem>\n</Tabs>\n',
    '<Card>\n# One\n- two\n</Card>\n',
    '<Cards>\n<Card title="A">\nText\n</Card>\n<Card title="B">\nText\n</Card>\n</Cards>\n',
    '<Frame>\n<div>\n<iframe src="a"></iframe>\nText\n</div>\n</Frame>\n',
    `${'<Ab>\n'.repeat(7)}Text\n${'</Ab>\n'.repeat(7)}`,
    '<Note>\nOne\n</Note>\n<Note>\nTwo\n</Note>\n',
  ])('others are shown as their source: %s', (markdown) => {
    expect(shown(markdown).map(({ type }) => type)).toEqual(['code']);
  });

  test('have no tags of conditions in their own', () => {
    const hidden = '{% if visitor.claims.a %}\n>\nText.\n{% endif %}\n';
    for (const markdown of [`<Note\n${hidden}`, `<Note a={\n${hidden}}>\n`, `<Note\n\n  ${hidden}`])
      expect(parseMarkdown(markdown).nodes.map(({ type }) => type)).toContain('if');
  });

  test('are found by search', () => {
    const [part] = partsOf(parseMarkdown(`${TABS}\n<Note>\n## Heading\nText.\n</Note>\n`));
    expect(part?.sections.map(({ title, text }) => [title, text])).toEqual([
      ['', 'Apple\nThis is an apple.\norange\nOrange'],
      ['Heading', 'Text.'],
    ]);
  });

  test('stay as they are written when a block beside them is edited', () => {
    const markdown = `${TABS}\nthree\n`;
    expect(editExported(markdown, '"three"', '"four"')).toBe(markdown.replace('three', 'four'));
  });

  test('have their other lines as they were when one is edited', () => {
    expect(editExported(TABS, '"Orange"', '"Banana"')).toBe(TABS.replace('Orange', 'Banana'));
  });
});
