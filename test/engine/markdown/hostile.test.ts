import { expect, test } from 'vitest';
import { DocumentInput } from '../../../routers/engine/document/document.ts';
import { findRefs, plainText } from '../../../routers/engine/document/readers.ts';
import { carryKeys } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

const SIZE = 80_000;
const repeat = (piece: string, size = SIZE): string => piece.repeat(Math.ceil(size / piece.length));

const HOSTILE: Record<string, string> = {
  'emphasis that never closes': repeat('*a_ '),
  'emphasis that closes late': repeat('**a', SIZE / 2) + repeat('b**', SIZE / 2),
  'quotes in quotes': '> '.repeat(5000),
  'lists in lists': Array.from({ length: 400 }, (_, depth) => `${' '.repeat(2 * depth)}* a`).join('\n'),
  'lists in lists on one line': repeat('* '),
  'lists in quotes in lists': repeat('> * ', 20_000),
  'opening brackets': repeat('['),
  'opening images': repeat('!['),
  'links in links': repeat('[a', SIZE / 2) + repeat('](b)', SIZE / 2),
  'angle brackets': repeat('<'),
  'comments that never end': `a ${repeat('<!-- ')}`,
  'tags that never end': `a ${repeat('<b>', SIZE / 2)}${repeat('</i>', SIZE / 2)}`,
  'attributes that never end': `a ${repeat('<a b="')}`,
  'runs of backticks': Array.from({ length: 400 }, (_, length) => '`'.repeat(length)).join(' '),
  'hints that never end': repeat('{% hint style="info" %}\n'),
  'hints in hints': repeat('{% hint %}\n', SIZE / 2) + repeat('{% endhint %}\n', SIZE / 2),
  'tabs that end hints': repeat('{% hint %}\n', SIZE / 2) + repeat('{% endtab %}\n', SIZE / 2),
  'expandables in expandables':
    repeat('<details>\n<summary>x</summary>\n\n', SIZE / 2) + repeat('</details>\n\n', SIZE / 2),
  'hints in lists in hints': Array.from({ length: 60 }, (_, depth) => {
    const pad = ' '.repeat(2 * depth);
    return `${pad}* a\n\n${`${pad}  {% hint %}\n`.repeat(20)}`;
  }).join('\n'),
  'dollars on lines': repeat('$$\n'),
  'a very wide table': `| ${repeat('a | ', 20_000)}\n| ${repeat('- | ', 20_000)}\n`,
  'a very long table': `a|b\n-|-\n${repeat('a|b\n', 20_000)}`,
  'definitions and uses': Array.from({ length: 3000 }, (_, index) => `[a${index}]: b\n[a${index}] `).join(''),
  'footnotes used often': `${repeat('[^1] ', 20_000)}\n\n[^1]: x\n`,
  'equal paragraphs': repeat('a\n\n'),
  'blank lines': repeat(' \n'),
  'prompts in prompts': repeat('{% prompt %}\n[a](b)\n', SIZE / 2) + repeat('{% endprompt %}\n', SIZE / 2),
  'code that never ends between pipes': `a|b\n-|-\n${repeat('<code>|', 20_000)}`,
  'paragraphs in a cell': `a|b\n-|-\n${repeat('<p>', 20_000)}${repeat('</p>', 20_000)}|c\n`,
  'lists in a cell': `a|b\n-|-\n${repeat('<ul><li>', 20_000)}${repeat('</li></ul>', 20_000)}|c\n`,
  'items without end tags': `<ul>${repeat('<li>a')}</ul>`,
  'paragraphs without end tags': repeat('<p>a\n'),
  'items without end tags in a cell': `a|b\n-|-\n<ul>${repeat('<li>a', 20_000)}</ul>|c\n`,
  'rows and cells without end tags': `<table>${repeat('<tr><td>a<td>b')}</table>`,
  'elements that cannot be in each other': repeat('<p><td><li><dt><option><tr><rt>'),
  'links as elements in links': repeat('<a href="b">', SIZE / 2) + repeat('</a>', SIZE / 2),
  'code as an element that never ends': `a ${repeat('<code>b ')}`,
  'pictures that never end': `a ${repeat('<picture><source srcset="b">')}`,
  'options that never end': `a ${repeat('<select><option>')}`,
  'short names': repeat(':tada: :a:'),
  'wrappers in wrappers': repeat('<div>\n\n', SIZE / 2) + repeat('</div>\n\n', SIZE / 2),
  'attributes of a table': `<table ${Array.from({ length: 8000 }, (_, index) => `data-${[...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}="x"`).join(' ')}><thead><tr><th>a</th></tr></thead></table>`,
  'options of a column': `<table><thead><tr><th><select>${repeat('<option value="a"></option>', 20_000)}</select></th></tr></thead><tbody>${repeat('<tr><td><span data-option="b">c</span></td></tr>', 20_000)}</tbody></table>`,
  'links in raw text': `{% prompt %}\n${repeat('](a<b href="')}\n{% endprompt %}`,
  'highlighted lines': `<pre><code>${repeat('<strong>a\n</strong>')}</code></pre>`,
  'a tag of many attributes': `{% hint ${repeat('a="b" ')}%}\n{% endhint %}`,
};

for (const [name, markdown] of Object.entries(HOSTILE)) {
  test(`${name}: read, written and aligned in bounded time, within the bound of depth`, {
    timeout: 20_000,
  }, () => {
    const document = parseMarkdown(markdown);
    const written = serializeMarkdown(document);
    const again = parseMarkdown(written);
    expect(serializeMarkdown(again)).toBe(written);
    expect(DocumentInput.safeParse(document).success).toBe(true);
    expect(carryKeys(document, again).nodes.length).toBe(document.nodes.length);
    expect(plainText(document).length + findRefs(document).length).toBeGreaterThanOrEqual(0);
  });
}

test('a document nested deeper than the bound is refused, not followed', () => {
  let node: object = { object: 'block', type: 'hint', nodes: [] };
  for (let depth = 0; depth < 50_000; depth += 1) node = { object: 'block', type: 'hint', nodes: [node] };
  expect(
    DocumentInput.safeParse({ object: 'document', data: { schemaVersion: 1 }, nodes: [node] }).success,
  ).toBe(false);
});
