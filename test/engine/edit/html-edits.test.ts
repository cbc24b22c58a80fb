/** Raw HTML of several parts of which a client edits one: the comments and wrappers between the parts belong to none of them. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, BlockNode, Document, Leaf } from '../../../routers/engine/document/document.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { paragraph, textNode } from '../../../routers/engine/markdown/nodes.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

type Edit = (document: Document) => void;

/** What readers are sent, as a client receives it. */
const answered = (document: Document): Document => JSON.parse(JSON.stringify(published(document)));

function edited(markdown: string, edit: Edit): { sent: Document; stored: Document; written: string } {
  const previous = parseMarkdown(markdown);
  const sent = answered(previous);
  edit(sent);
  const context = { links: undefined, names: new Map<string, string>(), previous };
  const stored = parseContent({ document: structuredClone(sent) }, context);
  return { sent, stored, written: serializeMarkdown(stored) };
}

const afterEdit = (markdown: string, edit: Edit): string => edited(markdown, edit).written;

function leavesIn(nodes: readonly BlockNode[]): Leaf[] {
  return nodes.flatMap((node) =>
    node.object === 'text'
      ? node.leaves
      : [
          ...leavesIn(node.nodes ?? []),
          ...(node.fragments ?? []).flatMap((fragment) => leavesIn(fragment.nodes)),
        ],
  );
}

/** Replaces a text wherever it is. */
const replaceText =
  (from: string, to: string): Edit =>
  ({ nodes }) => {
    for (const leaf of leavesIn(nodes)) leaf.text = leaf.text.replace(from, to);
  };

const newParagraph = (text: string): Block => paragraph([textNode(text)]);

const tabs = (text: string): Block => ({
  object: 'block',
  type: 'tabs',
  nodes: [{ object: 'block', type: 'tabs-item', data: { title: 'T' }, nodes: [newParagraph(text)] }],
});

/** What readers see of a document. */
function seen(document: Document): unknown {
  const isSeen = (value: unknown) =>
    !(typeof value === 'object' && value !== null && 'type' in value && value.type === 'markdown');
  const { nodes } = normalizeDocument(answered(document));
  return JSON.parse(
    JSON.stringify(nodes, (name, value) => {
      if (name === 'key' || name === 'isVoid') return undefined;
      return Array.isArray(value) ? value.filter(isSeen) : value;
    }),
  );
}

describe('an edit of a part keeps the rest of the HTML', () => {
  test.for<[string, string, string, string]>([
    ['text', 'moon', 'world', '<div align="center">\nHello world\n<!-- c -->\n<img src="a.png">\n</div>\n'],
    ['an element with attributes', 'B', 'b', '<p class="x">a</p><!-- c -->\n<p id="y">b <b>c</b></p>\n'],
    ['a text with a comment in it', 'B', 'b', '<section>\na <!-- c --> b\n<h2>d</h2>\n</section>\n'],
    ['a cell', '2', 'two', '<table class="x"><!-- c -->\n<tr><td>one</td><td>two</td></tr>\n</table>\n'],
    ['a table beside text', '1', 'one', '<table>\n<tr><td>one</td></tr></table>\n<!-- c -->\ntext\n'],
    [
      'an expandable',
      'B',
      'body',
      '<details class="x">\n<summary>a</summary>\n<!-- c -->\n<p id="y">body</p>\n</details>\n',
    ],
    [
      'an item',
      'B',
      'beta',
      '<div class="x">\n<ul><!-- c -->\n<li>alpha</li>\n<li>beta</li>\n</ul>\n</div>\n',
    ],
    ['HTML that is shown as its source', 'Terms', 'Words', '<x-y>\nWords <!-- c -->\n</x-y>\n'],
    ['HTML in a list', 'B', 'beta', '* a\n\n  <div class="x">\n  <!-- c -->\n  beta\n  </div>\n* d\n'],
    [
      'HTML in a hint',
      'B',
      'beta',
      '{% hint style="info" %}\n<div class="x">beta<!-- c --></div>\n{% endhint %}\n',
    ],
    ['HTML in a quote', 'B', 'beta', '> <div class="x">\n> <!-- c -->\n> beta\n> </div>\n'],
  ])('%s', ([, to, from, markdown]) => {
    expect(afterEdit(`A\n\n${markdown}\nZ\n`, replaceText(from, to))).toBe(
      `A\n\n${markdown.replace(from, to)}\nZ\n`,
    );
  });

  test('attributes that stand for data are changed where they are', () => {
    const markdown = '<div style="a">\n<!-- c -->\n<img loading="lazy" src="a.png">\n</div>\n';
    const written = afterEdit(markdown, ({ nodes }) => {
      const [image] = (nodes[0]?.nodes ?? []) as Block[];
      if (image) image.data = { ...image.data, alt: 'An image' };
    });
    expect(written).toBe(markdown.replace('"a.png"', '"a.png" alt="An image"'));
  });

  test('links keep their targets, by reference as well', () => {
    const markdown = '<div class="x">\n<!-- c -->\n<a href="b.md">b</a> and text\n</div>\n';
    const resolve = (href: string) => (href === 'b.md' ? ({ kind: 'page', page: 'p1' } as const) : undefined);
    const previous = parseMarkdown(markdown, { resolve });
    const document = answered(previous);
    replaceText('text', 'words')(document);
    const context = { links: undefined, names: new Map<string, string>(), previous };
    const stored = parseContent({ document }, context);
    expect(stored.nodes[0]?.data?.refs).toEqual([{ kind: 'page', page: 'p1' }]);
    expect(serializeMarkdown(stored, { hrefOf: () => 'c.md' })).toBe(
      markdown.replace('b.md', 'c.md').replace('text', 'words'),
    );
  });

  test('the block keeps its key, even if the part that was sent with it is deleted', () => {
    const markdown = '<div class="x">\n<p>a</p>\n<!-- c -->\n<p>b</p>\n</div>\n';
    const [raw] = parseMarkdown(markdown).nodes;
    const { stored, written } = edited(markdown, ({ nodes }) => nodes.shift());
    expect(written).toBe('<div class="x">\n<!-- c -->\n<p>b</p>\n</div>\n');
    expect(stored.nodes.map(({ key }) => key)).toEqual([raw?.key]);
  });

  test('without keys, too', () => {
    const markdown = 'A\n\n<div class="x">\n<p>a</p>\n<!-- c -->\n<p>b</p>\n</div>\n\nZ\n';
    const written = afterEdit(markdown, (document) => {
      document.nodes = JSON.parse(
        JSON.stringify(document.nodes, (name, value) => (name === 'key' ? undefined : value)),
      );
      replaceText('b', 'B')(document);
    });
    expect(written).toBe(markdown.replace('>b<', '>B<'));
  });
});

describe('parts that are deleted, added or moved', () => {
  const markdown = '<div class="x">\n<p id="a">a</p>\n<!-- c -->\n<h2>b</h2>\n</div>\n\nZ\n';

  test('a part that is deleted leaves what is around it', () => {
    expect(afterEdit(markdown, ({ nodes }) => nodes.splice(1, 1))).toBe(
      '<div class="x">\n<p id="a">a</p>\n<!-- c -->\n</div>\n\nZ\n',
    );
  });

  test('a comment in a part that is deleted stays', () => {
    const source = '<div>\n<p>a <!-- c --></p>\n<p>b</p>\n</div>\n';
    expect(afterEdit(source, ({ nodes }) => nodes.shift())).toBe('<div>\n<!-- c -->\n<p>b</p>\n</div>\n');
  });

  test('a block between parts becomes one of the parts', () => {
    expect(afterEdit(markdown, ({ nodes }) => nodes.splice(1, 0, newParagraph('new')))).toBe(
      '<div class="x">\n<p id="a">a</p>\n<p>new</p>\n<!-- c -->\n<h2>b</h2>\n</div>\n\nZ\n',
    );
  });

  test('parts that change places take their source along', () => {
    expect(afterEdit(markdown, ({ nodes }) => nodes.unshift(...nodes.splice(1, 1)))).toBe(
      '<div class="x">\n<h2>b</h2>\n<p id="a">a</p>\n<!-- c -->\n</div>\n\nZ\n',
    );
  });

  test('HTML that moves as a whole stays as it is', () => {
    expect(afterEdit(markdown, ({ nodes }) => nodes.push(...nodes.splice(0, 2)))).toBe(
      `Z\n\n${markdown.replace('\nZ\n', '').trimEnd()}\n`,
    );
  });

  test('HTML that moves as a whole into another block stays as it is', () => {
    const written = afterEdit(markdown, (document) => {
      const [a, b, ...others] = document.nodes as [Block, Block];
      const hint: Block = { object: 'block', type: 'hint', data: { style: 'info' }, nodes: [a, b] };
      document.nodes = [hint, ...others];
    });
    expect(written).toBe(`{% hint style="info" %}\n${markdown.replace('\n\nZ\n', '')}\n{% endhint %}\n\nZ\n`);
  });

  test('what cannot be in HTML becomes a block of its own, between what is left of the HTML', () => {
    expect(afterEdit(markdown, ({ nodes }) => nodes.splice(1, 0, tabs('t')))).toBe(
      '<div class="x">\n<p id="a">a</p>\n\n{% tabs %}\n{% tab title="T" %}\nt\n{% endtab %}\n{% endtabs %}\n\n<!-- c -->\n<h2>b</h2>\n</div>\n\nZ\n',
    );
  });

  test('a stored block that moves between parts stays a block of its own', () => {
    const { written, stored } = edited(markdown, ({ nodes }) => nodes.splice(1, 0, ...nodes.splice(2, 1)));
    expect(written).toContain('\n\nZ\n\n');
    expect(written).toContain('<!-- c -->');
    expect(stored.nodes.map(({ key }) => key)).toContain(parseMarkdown(markdown).nodes[1]?.key);
  });
});

/** HTML without blank lines: some elements, of which the wrappers hold others, and comments. */
const html = fc.letrec<{ content: string; piece: string }>((tie) => ({
  content: fc
    .array(fc.tuple(tie('piece'), fc.constantFrom('\n', '\n', '', '\n  ')), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.map(([piece, end]) => piece + end).join('')),
  piece: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      ...['some words', 'a &amp; <b>bold</b> <i>one</i>', '<p class="x">para <!-- in --> graph</p>'],
      ...[
        '<h2 id="h">heading</h2>',
        '<img src="a.png" loading="lazy">',
        '<hr/>',
        '<p align="right">right</p>',
      ],
      ...['<ul><li>one</li><!-- li --><li>two <em>2</em></li></ul>', '<a href="b.md" class="c">link</a>'],
      ...[
        '<table class="t"><tr><td>a</td><td>b <!-- td --></td></tr></table>',
        '<br>',
        '<blockquote>q</blockquote>',
      ],
      ...[
        '<details class="d"><summary>sum</summary><!-- de --> <p>body</p>more</details>',
        '<span style="s">span</span>',
      ],
      ...[
        '<figure><img src="f.png" alt="f"><figcaption>cap</figcaption></figure>',
        '<pre><code>let a\nlet b</code></pre>',
      ],
    ),
    fc.nat(99).map((number) => `<!-- ${number} -->`),
    fc
      .tuple(
        fc.constantFrom(
          'section align="center"',
          'div class="w"',
          'center',
          'section',
          'p align="left"',
          'article',
        ),
        tie('content'),
      )
      .map(([tag, inside]) => `<${tag}>\n${inside.trimEnd()}\n</${tag.split(' ')[0]}>`),
  ),
})).content;

const documents = fc
  .tuple(
    html,
    fc.constantFrom<(text: string) => string>(
      (text) => `<div id="a">\n${text}\n</div>`,
      (text) => `<p class="a">begin</p><!-- a -->\n${text}`,
    ),
    fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => `* item\n\n  ${text.replaceAll('\n', '\n  ')}`,
      (text) => `{% hint style="info" %}\n${text}\n{% endhint %}`,
      (text) => `> ${text.replaceAll('\n', '\n> ')}`,
    ),
  )
  .map(([text, begin, around]) => `First\n\n${around(begin(text.trimEnd()))}\n\nLast\n`);

interface Change {
  kind: 'text' | 'mark' | 'delete' | 'insert' | 'insert tabs' | 'move' | 'type';
  /** Choose what is changed. */
  at: number;
  to: number;
}

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('text', 'text', 'mark', 'delete', 'insert', 'insert tabs', 'move', 'type'),
    at: fc.nat(1000),
    to: fc.nat(1000),
  }),
  { minLength: 1, maxLength: 2 },
);

/** The list of blocks that the HTML is published in: that of the document, or of a container in it. */
const partsOf = ({ nodes }: Document): Block[] => {
  const container = nodes[1]?.type === 'list-unordered' ? (nodes[1].nodes?.[0] as Block) : nodes[1];
  const isContainer = nodes.length === 3 && /^(?:list-item|hint|blockquote)$/.test(container?.type ?? '');
  return isContainer ? (container?.nodes as Block[]) : nodes;
};

const change =
  ({ kind, at, to }: Change): Edit =>
  (document) => {
    const parts = partsOf(document);
    const first = parts === document.nodes || parts[0]?.nodes?.[0]?.object === 'text' ? 1 : 0;
    const last = parts === document.nodes ? parts.length - 1 : parts.length;
    const index = first + (at % Math.max(1, last - first));
    const edited = parts.slice(first, last);
    // Code and empty texts have no marks, and Markdown does not mark blanks around words.
    const leaves =
      kind === 'mark'
        ? leavesIn(edited.filter(({ type }) => type !== 'code')).filter(
            ({ text }) => text !== '' && text === text.trim(),
          )
        : leavesIn(edited);
    const leaf = leaves[at % Math.max(1, leaves.length)];
    if (kind === 'text' && leaf) leaf.text = `${leaf.text.slice(0, to % (leaf.text.length + 1))}changed`;
    else if (kind === 'mark' && leaf)
      leaf.marks = leaf.marks.length > 0 ? [] : [{ object: 'mark', type: 'bold' }];
    else if (kind === 'delete' && last - first > 2) parts.splice(index, 1);
    else if (kind === 'insert') parts.splice(index + 1, 0, newParagraph('inserted'));
    else if (kind === 'insert tabs') parts.splice(index + 1, 0, tabs('inserted'));
    else if (kind === 'move')
      parts.splice(first + (to % Math.max(1, last - first)), 0, ...parts.splice(index, 1));
    else if (kind === 'type' && parts[index]?.type === 'paragraph')
      Object.assign(parts[index], { type: 'heading-2', data: {} });
  };

const UNSEEN = /<!--.*?-->|<\/?(?:div|center|section|article)\b[^>]*>/gs;

const countsIn = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(UNSEEN)) counts.set(found, (counts.get(found) ?? 0) + 1);
  return counts;
};

test('any edit of any HTML is read again as what was sent, and no comment and no wrapper is lost', () => {
  fc.assert(
    fc.property(documents, changes, (markdown, list) => {
      const { sent, stored, written } = edited(markdown, (document) => {
        for (const one of list) change(one)(document);
      });
      expect(seen(stored)).toEqual(seen(sent));
      expect(seen(parseMarkdown(written))).toEqual(seen(sent));
      // Where readers see the source itself, they may take anything out of it.
      if (partsOf(answered(parseMarkdown(markdown))).some(({ data }) => data?.syntax === 'html')) return;
      const counts = countsIn(written);
      for (const [text, count] of countsIn(markdown))
        expect([text, counts.get(text) ?? 0]).toEqual([text, Math.max(count, counts.get(text) ?? 0)]);
      const keys = stored.nodes.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys).not.toContain(undefined);
    }),
    { numRuns: 500 },
  );
}, 60_000);
