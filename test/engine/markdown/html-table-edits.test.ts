import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { withoutSource } from '../../../routers/engine/document/format.ts';
import { restoreDocumentSpelling } from '../../../routers/engine/edit/document-spelling.ts';
import { updateBody } from '../../../routers/engine/export/body.ts';
import { normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';

const inCards = (code: string) =>
  `<table data-view="cards"><thead><tr><th></th><th></th></tr></thead><tbody><tr><td>one</td><td><pre><code>${code}</code></pre></td></tr></tbody></table>\n`;

const PRETTY = `<table>
  <thead>
    <tr>
      <th width="200">A</th>
      <th>B</th>
    </tr>
  </thead>
  <tbody>
    <tr>
      <td>one</td>
      <td><b>two</b> &amp; <i>three</i></td>
    </tr>
    <tr>
      <td>four</td>
      <td><ul><li>five<li>six</ul></td>
    </tr>
  </tbody>
</table>
`;

test.for([
  inCards('a\nb\n  c\n'),
  inCards('a\n\tb'),
  inCards('a&#xA;&#xA;b&#xA;'),
  inCards('a&#10;b&#xA;{% c %}\n'),
  PRETTY,
  `> ${inCards('a\n> b\n> ')}`,
])('an edit of one cell leaves the others as they are spelled: %s', (markdown) => {
  expect(editExported(markdown, '"one"', '"ONE"')).toBe(markdown.replace('one', 'ONE'));
});

/** A document written from what it says alone. */
function rewritten(markdown: string): string {
  const bare = <Node extends object>(node: Node): Node =>
    JSON.parse(JSON.stringify(node, (name, value) => (name === 'format' ? withoutSource(value) : value)));
  return serializeMarkdown(bare(parseMarkdown(markdown)));
}

test.for<[string, string, string]>([
  ['line ends', 'a&#xA;b&#xA;', 'a\nb\n'],
  ['blank lines', 'a&#xA;&#xA; &#xA;b&#xA;', 'a&#xA;&#xA; \nb\n'],
  ['lines with tags', 'a&#xA;b {% hint %}&#xA;', 'a&#xA;b {% hint %}&#xA;'],
  ['fences', 'a&#xA;```&#xA;', 'a&#xA;```\n'],
])(
  'code in a cell has its line ends, unless they would be read as something else: %s',
  ([, given, written]) => {
    const markdown = inCards(given);
    expect(rewritten(markdown)).toBe(inCards(written));
    expect(published(parseMarkdown(inCards(written)))).toEqual(published(parseMarkdown(markdown)));
  },
);

describe('rows of a table on many lines', () => {
  type Records = Record<string, { orderIndex: string; values: object }>;
  /** The file after its rows were changed. */
  const edited = (edit: (records: Records) => void): string => {
    const stored = parseMarkdown(PRETTY);
    const sent = structuredClone(published<Document>(stored));
    edit(sent.nodes[0]?.data?.records as Records);
    const links = { hrefOf: () => 'u', resolve: () => undefined };
    return updateBody(PRETTY, stored, restoreDocumentSpelling(stored, normalizeDocument(sent)), links);
  };
  const row = '<tr><td></td><td></td></tr>';

  test('are deleted with their lines', () => {
    expect(
      edited((records) => {
        delete records.r1;
      }),
    ).toBe(PRETTY.replace(/ {4}<tr>\n {6}<td>one.*\n.*\n.*\n/, ''));
    expect(
      edited((records) => {
        delete records.r2;
      }),
    ).toBe(PRETTY.replace(/ {4}<tr>\n {6}<td>four.*\n.*\n.*\n/, ''));
  });

  test('are added after the row before them', () => {
    expect(
      edited((records) => {
        records.r3 = { orderIndex: '000003', values: {} };
      }),
    ).toBe(PRETTY.replace(/<\/tr>(?=\s*<\/tbody>)/, `</tr>${row}`));
    expect(
      edited((records) => {
        records.r3 = { orderIndex: '0000015', values: {} };
      }),
    ).toBe(PRETTY.replace(/<\/tr>(?=\s*<tr>\s*<td>four)/, `</tr>${row}`));
  });
});
