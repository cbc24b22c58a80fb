import { expect, test } from 'vitest';
import type { ContentRef } from '../../../routers/engine/document/document.ts';
import { findHeadings, findRefs, mapRefs, plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

const MARKDOWN = `# Title <a href="#t" id="t"></a>

Some **bold** [link](a.md), soft
break and <b>html</b>.

| H |
| - |
| [cell](b.md) |

<details>

<summary>More</summary>

![alt](c.png)

</details>

{% embed url="https://x.y" %}
`;

test('the plain text of inline nodes is one line, as it is shown', () => {
  const markdown = "## Use [foo](https://x.y), then $$a+b$$ and **c**'s\n\nMore.\n";
  const [heading, paragraph] = parseMarkdown(markdown).nodes;
  expect(plainText(heading?.nodes ?? [])).toBe("Use foo, then a+b and c's");
  expect(plainText([...(heading?.nodes ?? []), paragraph as NonNullable<typeof paragraph>])).toBe(
    "Use foo, then a+b and c's\nMore.",
  );
});

test('plain text contains what readers see, with a line per block and without markup', () => {
  expect(plainText(parseMarkdown(MARKDOWN))).toBe(
    ['Title', 'Some bold link, soft break and html.', 'H', 'cell', 'More', 'alt'].join('\n'),
  );
});

test('headings are found in order, with their custom ids', () => {
  const document = parseMarkdown(MARKDOWN);
  expect(findHeadings(document)).toEqual([document.nodes[0]]);
  expect(findHeadings(document)).toMatchObject([{ type: 'heading-1', data: { id: 't' } }]);
});

test('references are found in all nodes, with the block that contains them', () => {
  const document = parseMarkdown(MARKDOWN);
  const found = findRefs(document).map(({ ref, type }) => [type, ref.kind === 'url' ? ref.url : ref.kind]);
  expect(found).toEqual([
    ['link', 'a.md'],
    ['link', 'b.md'],
    ['image', 'c.png'],
  ]);
  expect(findRefs(document)[0]?.block).toBe(document.nodes[1]?.key);
});

test('mapping references replaces all of them and shares unchanged parts', () => {
  const document = parseMarkdown(MARKDOWN);
  const toPage = (ref: ContentRef): ContentRef =>
    ref.kind === 'url' ? { kind: 'page', page: ref.url[0] ?? '' } : ref;
  const mapped = mapRefs(document, toPage);
  expect(findRefs(mapped).map(({ ref }) => ref)).toEqual(
    ['a', 'b', 'c'].map((page) => ({ kind: 'page', page })),
  );
  expect(mapped.nodes[0]).toBe(document.nodes[0]);
  expect(mapRefs(document, (ref) => ref)).toBe(document);
  expect(serializeMarkdown(mapped)).toContain('[link](/pages/a)');
});
