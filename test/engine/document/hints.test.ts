import { expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { alertAsHint } from '../../../routers/engine/document/hints.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { partsOf } from '../../../routers/engine/search/sections.ts';

/** The style and the Markdown of the hint that a quote is shown as. */
function hintIn(markdown: string) {
  const { data, nodes } = parseMarkdown(markdown).nodes.map((quote) => alertAsHint(quote as Block))[0] ?? {};
  return (
    nodes && [
      data?.style,
      serializeMarkdown({ object: 'document', data: { schemaVersion: 1 }, nodes: nodes as Block[] }),
    ]
  );
}

test.each([
  ['> [!NOTE]\n> Some *text*.\n', 'info', 'Some *text*.\n'],
  ['> [!IMPORTANT]\n> Some text.\n', 'info', 'Some text.\n'],
  ['> [!TIP]\n> *Some* text.\n>\n> * one\n', 'success', '*Some* text.\n\n* one\n'],
  ['> [!warning]  \n> Some text.\n', 'warning', 'Some text.\n'],
  ['> [!CAUTION]\n>\n> Some text.\n', 'danger', 'Some text.\n'],
  ['> [!INFO]\n> Some text.\n', 'info', 'Some text.\n'],
  ['> [!success]\n> Some text.\n', 'success', 'Some text.\n'],
  ['> [!DANGER]\n> Some text.\n', 'danger', 'Some text.\n'],
  ['> [!NOTE]\n', 'info', ''],
])('%j is shown as a hint', (markdown, style, text) => {
  expect(hintIn(markdown)).toEqual([style, text]);
  expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
});

test.each([
  '> [!NOTE] Text on the same line.\n',
  '> [!NOTE] **Bold** text.\n',
  '> [!OTHER]\n> Text.\n',
  '> Text.\n>\n> [!NOTE]\n',
  '> **[!NOTE]**\n> Text.\n',
  '> * [!NOTE]\n',
  '> # [!NOTE]\n',
])('%j is shown as a quote', (markdown) => {
  expect(hintIn(markdown)).toBeUndefined();
});

test('the markers of alerts and admonitions are not searched', () => {
  const [part] = partsOf(parseMarkdown('> [!NOTE]\n> Some text.\n\n:::tip\nMore text.\n:::\n'));
  expect(part?.sections.map(({ text }) => text.trim())).toEqual(['Some text.\nMore text.']);
});

test('what follows the tag of a condition without an end is not searched, also after an admonition with the tag', () => {
  const parts = partsOf(parseMarkdown(':::note\n\n{% if visitor.claims.a %}\n\nOne.\n\n:::\n\nTwo.\n'));
  const shown = parts.filter(({ conditions }) => conditions.length === 0);
  expect(JSON.stringify(shown)).not.toMatch(/One|Two/);
  expect(JSON.stringify(parts)).toMatch(/One.*Two/);
});
