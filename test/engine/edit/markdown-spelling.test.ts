import { expect, test } from 'vitest';
import type { ContentRef } from '../../../routers/engine/document/document.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { parseMarkdown, type Resolve, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { UNCHANGED } from '../markdown/examples.ts';

/**
 * Links to files become links to pages, as in an import, so their URLs have a different length in the Markdown for
 * clients.
 */
const resolve: Resolve = (href, kind) =>
  kind === 'link' && href.endsWith('.md')
    ? { kind: 'page', page: Buffer.from(href).toString('hex') }
    : undefined;
const hrefOf = (ref: ContentRef) =>
  ref.kind === 'page' ? Buffer.from(ref.page, 'hex').toString() : undefined;

/** Returns the exported Markdown of a page after a client read it as Markdown, changed it and sent it back. */
function afterEdit(file: string, edit: (answered: string) => string): string {
  const previous = parseMarkdown(file, { resolve });
  const markdown = edit(serializeMarkdown(previous));
  const read = parseContent({ markdown }, { links: undefined, names: new Map(), previous });
  return serializeMarkdown(read, { hrefOf });
}

const FILES = {
  'a backslash at the end': 'one\\\ntwo [a](a.md)\\\n\nthree\n',
  'a blank before a hard break': '1. one [a](a.md). \\\n   ![](b.png)\n2. two\n',
  'an underscore that needs no escape': '- [_a](_a.md): one\n- [b](b.md): two\n',
  'a table that is laid out by hand':
    '| name     | see              | default |\n|----------|------------------|---------|\n| `one` | [a](a/longer/one.md) | `false` |\n',
  'a block in a tab':
    '{% tabs %}\n{% tab title="A" %}\none [_a](_a.md) \\\ntwo\n{% endtab %}\n{% endtabs %}\n',
  'a block in an expandable': '<details>\n\n<summary>A</summary>\n\none [_a](_a.md) \\\ntwo\n\n</details>\n',
};

test.for(Object.entries({ ...FILES, ...UNCHANGED }))(
  'a page that is sent back as Markdown unchanged is exported unchanged: %s',
  ([, file]) => {
    expect(afterEdit(file, (answered) => answered)).toBe(file);
  },
);

test.for(Object.entries(FILES))(
  'a page that is edited as Markdown keeps the spelling of unedited blocks: %s',
  ([, file]) => {
    expect(afterEdit(file, (answered) => `${answered}\nMore.\n`)).toBe(`${file}\nMore.\n`);
    expect(afterEdit(file, (answered) => `More.\n\n${answered}`)).toBe(`More.\n\n${file}`);
  },
);

test('a page that is edited as Markdown keeps the blocks next to the edited one, also in lists and tabs', () => {
  const tabs =
    '{% tabs %}\n{% tab title="A" %}\none [_a](_a.md)\n\n1. two [_b](_b.md)\n2. three\n{% endtab %}\n{% endtabs %}\n';
  const to = (text: string) => text.replace('three', 'four');
  expect(afterEdit(tabs, to)).toBe(to(tabs));
});

test('a page that is edited as Markdown is spelled as it was sent where that differs', () => {
  const file = '*one* [_a](_a.md)\n';
  expect(afterEdit(file, (answered) => answered.replaceAll('*', '_'))).toBe('_one_ [\\_a](_a.md)\n');
  const gap = '[_a](_a.md)\n\ntwo\n';
  expect(afterEdit(gap, (answered) => answered.replace('\n\n', '\n\n\n'))).toBe('[_a](_a.md)\n\n\ntwo\n');
});
