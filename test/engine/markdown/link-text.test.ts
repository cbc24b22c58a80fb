import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

/** Links wherever they can be, on a page with a definition and a footnote. */
const LINKS = `Text[^1] and [x] and [LABEL](u "Title") and [LABEL](v)

## A [LABEL](u)

* **[LABEL](u)** and <mark style="color:red;">[LABEL](u)</mark>!

| A | [LABEL](u) |
| - | - |
| <a href="v">LABEL</a> | _[LABEL](u)_ |

[x]: /x

[^1]: A note with a [LABEL](u)
`;

/** The same page, where brackets and others are escaped though they need not be. */
const SPELLED = LINKS.replace('Text', 'Text \\[ and')
  .replace('A note', 'A note \\] and \\!')
  .replace('## A', '## \\[A');

/** Writes this text into all links of a page, as a client does, and returns the document and its Markdown. */
function withLinkText(markdown: string, text: string) {
  const previous = parseMarkdown(markdown);
  const sent = JSON.stringify(published(previous)).replaceAll('"LABEL"', JSON.stringify(text));
  const context = { links: undefined, names: new Map<string, string>(), previous };
  const document = parseContent({ document: JSON.parse(sent) as Document }, context);
  return { document, markdown: serializeMarkdown(document) };
}

const contentOf = (document: Document): unknown =>
  JSON.parse(
    JSON.stringify(published(document).nodes, (name, entry) => (name === 'key' ? undefined : entry)),
  );

function expectSameText(page: string, text: string): void {
  const { document, markdown } = withLinkText(page, text);
  expect(contentOf(parseMarkdown(markdown)), markdown).toEqual(contentOf(document));
}

test.for([
  'handlers[i](event)',
  'see ![pic](b)',
  '[^1]',
  '[x]',
  'a [x] b',
  '[a [x] b](c)',
  '^1',
  '[a] and b]',
  'list[0]',
])('a link keeps its text in all places: %s', (text) => {
  expectSameText(LINKS, text);
  expectSameText(SPELLED, text);
});

test('brackets in the text of a link are written as they are where they cannot be misread', () => {
  expect(withLinkText('See [LABEL](u)\n', 'list[0] (first)').markdown).toBe('See [list[0] (first)](u)\n');
});

test('a link keeps any text', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    '](',
    ')',
    '!',
    '^',
    '[^1]',
    '[x]',
    '[]',
    '<',
    '"',
    ':',
    '\\',
    'a',
    'x',
    '1',
    ' ',
  );
  const texts = fc.array(pieces, { minLength: 1, maxLength: 10 }).map((parts) => parts.join('').trim());
  fc.assert(
    fc.property(texts, fc.boolean(), (text, isSpelled) => {
      fc.pre(text !== '');
      expectSameText(isSpelled ? SPELLED : LINKS, text);
    }),
    { numRuns: process.env.LONG ? 1000 : 100 },
  );
});
