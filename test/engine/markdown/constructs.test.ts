import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { findRefs, plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { blocksOf } from '../../../routers/engine/markdown/nodes.ts';
import { readDocument } from '../../../routers/engine/markdown/parse/parse-document.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { writeDocument } from '../../../routers/engine/markdown/write/serialize-document.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { inlines, only, read, text } from './published-blocks.ts';

const url = (address: string) => ({ kind: 'url', url: address });

/** Markdown as it is exported, each to be understood wholly and to come out as it went in. */
const EXPORTED: Record<string, string> = {
  'paragraphs, headings and lists in a cell between pipes':
    '| Field | Meaning |\n| ----- | ------- |\n| <p>a<br>b</p><p><strong>c</strong></p> | <h4>d</h4><ul><li>e</li><li>f</li></ul> |\n',
  'headings and objects in cards':
    '<table data-view="cards"><thead><tr><th></th><th></th></tr></thead><tbody><tr><td><h3><i class="fa-gear">:gear:</i></h3></td><td><p>One <a href="a.md" class="button primary" data-icon="bolt">Go</a></p><p><a data-mention href="b.md">b.md</a></p></td></tr><tr><td><h4>Two</h4></td><td><ul class="contains-task-list"><li><input type="checkbox" checked>done</li></ul><ol start="3"><li>three</li></ol></td></tr></tbody></table>\n',
  'every attribute of a table':
    '<table data-search="false" data-view="cards"><thead><tr><th>Stage<select><option value="o1" label="New" color="blue"></option></select></th><th>Tags<select multiple><option value="o2" label="A"></option><option value="o3" label="B" color="red"></option></select></th><th data-type="checkbox"></th><th data-type="rating" data-max="4"></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><span data-option="o1">New</span></td><td><span data-option="o2">A, </span><span data-option="o3">B, </span></td><td>true</td><td>3</td><td><a href="a/b.md">Title</a></td></tr></tbody></table>\n',
  'attributes that say that there is none':
    '<table data-header-sticky data-header-hidden="false" data-full-width="false"><thead><tr><th>A</th><th data-hidden="false">B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>\n',
  'select columns without options':
    '<table><thead><tr><th>Name</th><th data-type="select">State</th><th data-hidden data-type="select" data-multiple></th></tr></thead><tbody><tr><td>a</td><td></td><td></td></tr></tbody></table>\n',
  'lines of code that are highlighted':
    '<pre class="language-js" data-title="a.js" data-overflow="wrap" data-line-numbers><code class="lang-js">if (a &#x3C; b) {\n\n<strong>  b();\n</strong>}\n</code></pre>\n',
  'aligned text': '<h2 align="center">Title</h2>\n\n<p align="right">Some <strong>text</strong></p>\n',
  images:
    '<div data-with-frame="true"><img src="a.png" alt="A"></div>\n\n<div align="left"><figure><img src="a.png" alt="" width="375"><figcaption><p>B</p></figcaption></figure></div>\n\n<img src="c.png" alt="" width="50%">\n\n<img src="d.png" alt="" data-size="original">\n\nA <picture><source srcset="e.png" media="(prefers-color-scheme: dark)"><img src="f.png" alt="" data-size="line"></picture> here.\n',
  'a drawing': '<img src="a.svg" alt="A plan" class="gitbook-drawing">\n',
  'elements among text':
    'A <code>b | c</code> and <a href="d.md">e <strong>f</strong></a>, <a href="https://g.example" target="_blank">g</a>, <i class="fa-x" style="color:$primary;">:x:</i>.\n',
  emoji:
    ':rocket: **:tada:** :white\\_check\\_mark: <span data-gb-custom-inline data-tag="emoji" data-code="2728">✨</span>\n',
  'code after a blank line': '{% code title="a.sh" %}\n\n```sh\nls\n```\n\n{% endcode %}\n',
  'a prompt': '{% prompt description="Try" %}\n```markdown\n# Not a heading\n```\n{% endprompt %}\n\nAfter\n',
  updates:
    '{% updates format="full" %}\n{% update date="2026-01-01" %}\n## News\n\n* [a](b.md)\n{% endupdate %}\n{% endupdates %}\n',
  'tags on several lines':
    '{% @mermaid/diagram content="graph TD\n  a-->b\n\n  b-->|\\"c\\"|d" %}\n\n* {% @a/b content="one\n    two" %}\n\n> {% @a/b content="one\n> two" url="https://x.y"\n> %}\n\n{% embed\n  url="https://x.y/z"\n%}\n\n{% hint\n  style="warning" %}\nText\n{% endhint %}\n',
  'buttons with an action':
    '* <button type="button" class="button primary" data-action="ask" data-icon="star">Ask</button> **b**\n',
};

test('attributes of template tags stand in double quotes, single quotes or none', () => {
  const [hint, ...others] = readDocument("{% hint style='danger' icon=bomb %}\na\n{% endhint %}", undefined)
    .document.nodes;
  expect(hint).toMatchObject({ type: 'hint', data: { style: 'danger', icon: 'bomb' } });
  expect(others).toEqual([]);
});

describe('attributes of template tags on several lines', () => {
  const read = (markdown: string) => readDocument(markdown, undefined).document.nodes;

  test('keep the lines of their values', () => {
    const [block, ...others] = read(
      '{% @mermaid/diagram content="graph TD\n  a-->b\n\n  c" fullWidth="true" %}\n',
    );
    expect(others).toEqual([]);
    expect(block).toMatchObject({
      type: 'integration',
      data: { props: { content: 'graph TD\n  a-->b\n\n  c', fullWidth: 'true' } },
    });
  });

  test.for([
    ['text between them', '{% hint style="info"\nand words %}\n'],
    ['no end', '{% hint style="info"\n\nWords\n'],
    ['another tag on the next line', '{% @a/b content="one\n{% hint %}\n'],
    ['an expression', '{% if\nvisitor.claims.a %}\n'],
  ] as const)('are text with %s', ([, markdown]) => {
    expect(read(markdown)[0]).toMatchObject({ type: 'paragraph' });
  });

  test('are written with their lines, unless these would be read differently', () => {
    const written = (content: string) =>
      writeDocument(
        {
          object: 'document',
          data: { schemaVersion: 8 },
          nodes: [
            {
              object: 'block',
              type: 'integration',
              data: { integration: 'a', block: 'b', props: { content } },
            },
          ],
        },
        undefined,
      );
    expect(written('one\n  "two"\n\n%}')).toBe('{% @a/b content="one\n  \\"two\\"\n\n%\\}" %}\n');
    expect(written('one\n{% two %}')).toBe('{% @a/b content="one {% two %\\}" %}\n');
  });

  test('a text that looks like one stays a text', () => {
    const paragraph = {
      object: 'block' as const,
      type: 'paragraph',
      nodes: [
        {
          object: 'text' as const,
          leaves: [{ object: 'leaf' as const, text: '{% @a/b c="d\ne" %}', marks: [] }],
        },
      ],
    };
    const written = writeDocument(
      { object: 'document', data: { schemaVersion: 8 }, nodes: [paragraph] },
      undefined,
    );
    expect(read(written)).toMatchObject([{ type: 'paragraph' }]);
  });
});

describe('what is exported is understood, and comes out as it went in', () => {
  for (const [name, markdown] of Object.entries(EXPORTED)) {
    test(name, () => {
      // A drawing is a file.
      const { document, hrefOf } = readDocument(markdown, (href) =>
        href.endsWith('.svg') ? { kind: 'file', file: 'drawing' } : undefined,
      );
      expect(writeDocument(document, hrefOf)).toBe(markdown);
      const answer = published(document);
      expect(violationsOf(answer)).toEqual([]);
      expect(JSON.stringify(answer)).not.toContain('"type":"markdown"');
    });
  }
});

describe('inline elements', () => {
  test('inline elements are links, mentions, icons, buttons and images, whatever the order of their attributes', () => {
    expect(inlines('<a data-mention href="/pages/a">A</a>')).toMatchObject([
      { type: 'mention', data: { ref: { kind: 'page', page: 'a' } } },
    ]);
    expect(inlines('<a data-mention href="a.md">A</a>')).toMatchObject([
      { type: 'link', data: { ref: url('a.md') }, nodes: [{ leaves: [{ text: 'A' }] }] },
    ]);
    expect(inlines('<a class="button secondary" data-icon="x" href="a.md">B &#x26; c</a>')).toMatchObject([
      { type: 'button', data: { label: 'B & c', kind: 'secondary', icon: 'x', ref: url('a.md') } },
    ]);
    expect(inlines('a <img data-size="line" src="b.png" alt="c" />')[1]).toMatchObject({
      type: 'inline-image',
      data: { ref: url('b.png'), alt: 'c', size: 'line' },
    });
    expect(inlines('<a href="b.md">**c**</a>')).toMatchObject([
      { type: 'link', data: { ref: url('b.md') }, nodes: [text(['c', 'bold'])] },
    ]);
    expect(inlines('a <code>b **c**</code>')).toEqual([text('a ', ['b ', 'code'], ['c', 'code', 'bold'])]);
  });

  test('inline elements are kept as they are where an attribute means something else', () => {
    for (const markup of [
      '<a href="b.md" onclick="c()">d</a>',
      '<i class="fa-x" onload="c()">:x:</i>',
      '<a class="button primary">b</a>',
    ]) {
      const { nodes } = read(`a ${markup} e\n`);
      expect(JSON.stringify(nodes)).toContain('"markdown"');
      // Their words are there.
      expect(plainText(published(read(`a ${markup} e\n`)))).toMatch(/^a +(?:d|:x:|b) +e$/);
    }
    expect(inlines('a <img src="b.png" alt="c" style="width:1px"> e')).toEqual([
      text('a '),
      { object: 'inline', type: 'inline-image', isVoid: true, data: { ref: url('b.png'), alt: 'c' } },
      text(' e'),
    ]);
  });

  test('inline elements are buttons with an action, and leave the list around them typed', () => {
    const list = only(
      '* a <button type="button" class="button primary" data-action="search" data-query="x">b</button> **c**\n* d\n',
    );
    expect(list.type).toBe('list-unordered');
    const [item] = (list.nodes ?? []) as Block[];
    const [first] = (item?.nodes ?? []) as Block[];
    expect(first?.nodes?.[1]).toMatchObject({
      type: 'button',
      data: { label: 'b', kind: 'primary', action: { action: 'search', query: 'x' } },
    });
    expect(inlines('a <button type="button" data-action="other">b</button>')).toEqual([
      text('a '),
      text('b'),
    ]);
  });

  test('inline elements do not make links in links', () => {
    for (const markdown of ['<a href="a.md">[b](c.md)</a>', '[<a href="a.md">b</a>](c.md)']) {
      const found = inlines(markdown).filter((node) => node.object === 'inline' && node.type === 'link');
      expect(found).toHaveLength(1);
      expect(JSON.stringify(found[0]?.object === 'inline' ? found[0].nodes : [])).not.toContain('"link"');
    }
  });

  test('escapes beside emphasis are text', () => {
    expect(inlines('a **b**&#x20;**c**')).toEqual([text('a ', ['b', 'bold'], ' ', ['c', 'bold'])]);
    expect(only('* a&#x20;\n* **b&#x20;**\n').type).toBe('list-unordered');
  });

  test('blanks within emphasis that were written as entities stay in it', () => {
    for (const markdown of [
      '**a&#x20;**_**b**_**&#x20;c** d\n',
      '* _a&#x20;_**b**\n',
      '**a&#x20;**&#x62;\n',
    ]) {
      const document = read(markdown);
      expect(published(read(writeDocument(document, undefined)))).toEqual(published(document));
    }
    const exported = '**a b&#x20;**_**c**_**&#x20;d** e\n';
    expect(writeDocument(read(exported), undefined)).toBe(exported);
  });
});

describe('images and drawings', () => {
  test('between the tags of a div on lines of their own are one block', () => {
    const figure = '<figure><img src="a.png" alt=""><figcaption></figcaption></figure>';
    expect(only(`<div data-full-width="true">\n\n${figure}\n\n</div>\n`)).toMatchObject({
      type: 'images',
      data: { fullWidth: true },
    });
    const others = published(read(`<div data-full-width="true">\n\ntext\n\n</div>\n`));
    expect(others.nodes.map(({ type }) => type)).toEqual(['markdown', 'paragraph', 'markdown']);
  });

  test('images and drawings keep the text of a drawing', () => {
    const drawing = read('<img class="gitbook-drawing" alt="b" src="a.svg">\n');
    expect(drawing.nodes.map(({ type }) => type)).toEqual(['drawing']);
    expect(writeDocument(drawing, undefined)).toBe('<img src="a.svg" alt="b" class="gitbook-drawing">\n');
  });

  test('images and drawings by themselves are a block of images with a width', () => {
    expect(only('<img src="a.png" alt="b" width="40">\n')).toMatchObject({
      type: 'images',
      nodes: [{ type: 'image', data: { alt: 'b', width: 40 } }],
    });
  });
});

test('what is escaped in an expression, as elsewhere in Markdown, is not part of it', () => {
  const [expression] = inlines('<code class="expression">space.vars.A\\_B + "\\"" + x\\[0]</code>');
  expect(expression).toMatchObject({
    type: 'expression',
    data: { expression: 'space.vars.A_B + "\\"" + x[0]' },
  });
});

describe('tags', () => {
  test('tags of earlier years refer to a page', () => {
    expect(read('{% page-ref page="a.md" %}\n').nodes).toMatchObject([
      { type: 'content-ref', data: { ref: url('a.md') } },
    ]);
  });

  test('tags of earlier years have what Markdown escapes escaped in their attributes', () => {
    expect(only('{% page-ref page="a\\_b \\(1\\).md" %}\n').data).toEqual({ ref: url('a_b (1).md') });
    const code = '{% code title="a\\_b.c" %}\n```c\nd\n```\n{% endcode %}\n';
    expect(only(code).data).toMatchObject({ title: 'a_b.c' });
    expect(serializeMarkdown(parseMarkdown(code))).toBe(code);
    // Text that looks like it comes back as it is.
    const titled = parseMarkdown(code);
    const [block] = titled.nodes as [Block];
    const title = 'C:\\_dir\\(x)\\new';
    const written = serializeMarkdown({ ...titled, nodes: [{ ...block, data: { ...block.data, title } }] });
    expect(only(written).data).toMatchObject({ title });
  });

  test.each([
    ['embed', 'url="https://e.example/x"'],
    ['file', 'src="https://e.example/x.zip"'],
  ])('an attribute with the caption of a tag of earlier years is a caption: %s', (tag, address) => {
    const markdown = `{% ${tag} ${address} caption="An old \\"caption\\"" %}\n`;
    const document = parseMarkdown(markdown);
    expect(plainText(document)).toContain('An old "caption"');
    expect(serializeMarkdown(document)).toBe(markdown);
    const edited = JSON.parse(JSON.stringify(document).replace('An old', 'A new'));
    expect(serializeMarkdown(edited)).toBe(markdown.replace('An old', 'A new'));
    const [block] = JSON.parse(JSON.stringify(document)).nodes;
    block.fragments[0].nodes[0].nodes[0].leaves[0].marks = [{ object: 'mark', type: 'bold' }];
    expect(serializeMarkdown({ ...document, nodes: [block] })).toContain(
      `%}\n**An old "caption"**\n{% end${tag} %}`,
    );
  });

  test('tags of earlier years for code in tabs are tabs', () => {
    const tab = (title: string) =>
      `{% code-tabs-item title="${title}" %}\n\`\`\`js\na\n\`\`\`\n{% endcode-tabs-item %}\n\n`;
    const tabs = only(`{% code-tabs %}\n${tab('a.js')}${tab('b.js')}{% endcode-tabs %}\n`);
    expect(tabs.type).toBe('tabs');
    expect(blocksOf(tabs.nodes).map(({ type, data }) => [type, data?.title])).toEqual([
      ['tabs-item', 'a.js'],
      ['tabs-item', 'b.js'],
    ]);
  });

  test('blanks may stand around the equals signs of a tag', () => {
    const markdown = '{% hint style= "warning" %}\na\n{% endhint %}\n';
    expect(only(markdown)).toMatchObject({ type: 'hint', data: { style: 'warning' } });
    expect(writeDocument(read(markdown), undefined)).toBe(markdown);
  });

  test('tags of earlier years show an API operation', () => {
    const markdown =
      '{% swagger src="a.yaml" path="/x" method="get" %}\n[a.yaml](a.yaml)\n{% endswagger %}\n';
    expect(read(markdown).nodes).toMatchObject([
      { type: 'swagger', data: { ref: url('a.yaml'), path: '/x', method: 'get' } },
    ]);
  });

  test('tags that lack what their type needs leave their content in its place, also in containers', () => {
    const list = only('1. a\n\n   {% prompt %}\n   * b\n     * c\n   {% endprompt %}\n2. d\n');
    expect(list).toMatchObject({ type: 'list-ordered' });
    const [item] = (list.nodes ?? []) as Block[];
    const types = ((item?.nodes ?? []) as Block[]).map(({ type }) => type);
    expect(types).toEqual(['paragraph', 'markdown', 'list-unordered', 'markdown']);
    expect(
      published(
        read('{% updates %}\n{% update date="YYYY-MM-DD" %}\na\n{% endupdate %}\n{% endupdates %}\n'),
      ).nodes.map(({ type }) => type),
    ).toEqual(['markdown', 'markdown', 'paragraph', 'markdown', 'markdown']);
  });

  test('tags of updates have their dates as times, and their tags', () => {
    expect(
      only(
        '{% updates format="short" %}\n{% update date="2026-01-02" tags="a,b" %}\nc\n{% endupdate %}\n{% endupdates %}\n',
      ),
    ).toMatchObject({
      data: { format: 'short' },
      nodes: [
        {
          type: 'update',
          data: {
            date: '2026-01-02T00:00:00.000Z',
            tags: [
              { kind: 'tag', tag: 'a' },
              { kind: 'tag', tag: 'b' },
            ],
          },
        },
      ],
    });
  });
});

describe('links in what is raw', () => {
  const raw =
    '<x-y>\n[a](one.md) `[b](not.md)` <img src="two.png">\n```\n[c](not.md)\n```\n{% file src="three.pdf" %}\n</x-y>\n\n<u><a class="x" href="four.md?a&#x26;b">d</a></u> text <font title="e" color="f">g</font>\n';

  test('links in what is raw are references of the document', () => {
    expect(findRefs(read(raw)).map(({ ref }) => ref)).toEqual(
      ['one.md', 'two.png', 'three.pdf', 'four.md?a&b'].map(url),
    );
  });

  test('links in what is raw are written as their targets are', () => {
    const { document, hrefOf } = readDocument(raw, (href) =>
      href === 'one.md' ? { kind: 'page', page: 'p1' } : undefined,
    );
    expect(writeDocument(document, hrefOf)).toBe(raw);
    const moved = writeDocument(document, (ref) =>
      ref.kind === 'page'
        ? 'new dir/one.md'
        : ref.kind === 'url' && ref.url === 'two.png'
          ? 'a"b.png'
          : undefined,
    );
    expect(moved).toContain('[a](<new dir/one.md>) `[b](not.md)` <img src="a&#x22;b.png">');
    expect(moved).toContain('[c](not.md)');
  });

  test('links in what is raw are left where the text was changed without them', () => {
    const document = read(raw);
    (document.nodes[0] as Block).data = { ...document.nodes[0]?.data, markdown: 'other' };
    expect(writeDocument(document, () => 'x')).toMatch(/^other\n/);
  });
});
