import { expect, test } from 'vitest';
import { parseSummary, type SummaryEntry } from '../../../routers/engine/import/summary.ts';

/** A table of contents as indented lines, for comparison at a glance. */
function outline(text: string): string[] {
  const lines: string[] = [];
  const visit = (entries: SummaryEntry[], depth: number) => {
    for (const entry of entries) {
      const what = entry.kind === 'computed' ? JSON.stringify(entry.computed) : entry.title;
      const where = entry.kind === 'link' ? ` -> ${entry.href}` : '';
      lines.push(`${'  '.repeat(depth)}${entry.kind} ${what}${where}`);
      visit(entry.children, depth + 1);
    }
  };
  visit(parseSummary(text, 'SUMMARY.md').summary.entries, 0);
  return lines;
}

const notesOf = (text: string) => parseSummary(text, 'SUMMARY.md').notes;

test('nested lists, groups, link titles and the ids of groups are parsed', () => {
  const { summary, notes } = parseSummary(
    [
      '# Table of contents',
      '',
      '* [Welcome](README.md)',
      '',
      '## Get started <a href="#start" id="start"></a>',
      '',
      '* [Install \\[beta\\]](start/install.md "Install")',
      '  * [`npm` & more](<start/with space.md>)',
    ].join('\n'),
    'SUMMARY.md',
  );
  expect(notes).toEqual([]);
  expect(summary.title).toBe('Table of contents');
  expect(summary.entries).toMatchObject([
    { kind: 'link', title: 'Welcome', href: 'README.md', line: 3 },
    {
      kind: 'group',
      title: 'Get started',
      slug: 'start',
      children: [
        {
          title: 'Install [beta]',
          linkTitle: 'Install',
          href: 'start/install.md',
          children: [{ title: 'npm & more', href: 'start/with space.md' }],
        },
      ],
    },
  ]);
});

test('all list markers, tabs and uneven indentation are accepted', () => {
  expect(
    outline(
      '- [A](a.md)\n\t- [B](b.md)\n\t\t+ [C](c.md)\n\t   * [D](d.md)\n1. [E](e.md)\n   2) [F](f.md)\n * [G](g.md)',
    ),
  ).toEqual([
    'link A -> a.md',
    '  link B -> b.md',
    '    link C -> c.md',
    '    link D -> d.md',
    'link E -> e.md',
    '  link F -> f.md',
    'link G -> g.md',
  ]);
});

test('a rule ends a group, as does the next heading of any level', () => {
  expect(outline('# S\n## One\n* [A](a.md)\n### Two\n* [B](b.md)\n\n***\n\n* [C](c.md)\n')).toEqual([
    'group One',
    '  link A -> a.md',
    'group Two',
    '  link B -> b.md',
    'link C -> c.md',
  ]);
});

test('an entry without a link is text, with or without children', () => {
  expect(outline('* Guides\n  * [A](a.md)\n* [Draft]()\n* **Bold**')).toEqual([
    'text Guides',
    '  link A -> a.md',
    'text Draft',
    'text Bold',
  ]);
});

test('an item with a fenced block is a computed page', () => {
  const text =
    '* [API](api.md)\n  * ```yaml\n    type: builtin:openapi\n    props:\n      models: true\n    ```\n* [Next](n.md)';
  expect(outline(text)).toEqual([
    'link API -> api.md',
    '  computed {"type":"builtin:openapi","props":{"models":true}}',
    'link Next -> n.md',
  ]);
});

test('the source of a computed page is plain data that can be stored, whatever its YAML contains', () => {
  expect(outline('* ```yaml\n  type: x\n  a: .nan\n  b: "\\0\\uD800"\n  ```')).toEqual([
    'computed {"type":"x","a":"NaN","b":"\uFFFD\uFFFD"}',
  ]);
  expect(outline('* ```yaml\n  type: x\n  a: &a [*a]\n  ```')).toEqual([]);
});

test('invalid blocks, additional links in an entry and links outside of lists are reported', () => {
  expect(notesOf('* ```yaml\n  a: [\n  ```\n* [A](a.md) [B](b.md)\n\n[C](c.md)\n')).toMatchObject([
    { file: 'SUMMARY.md', line: 1, message: expect.stringContaining('not valid YAML') },
    { line: 4, message: expect.stringContaining('several links') },
    { line: 6, message: expect.stringContaining('not a list item') },
  ]);
});

test('nesting is limited, and hostile lines are parsed in reasonable time', () => {
  const deep = Array.from(
    { length: 5_000 },
    (_, depth) => `${' '.repeat(2 * depth)}* [P${depth}](p${depth}.md)`,
  );
  const { summary } = parseSummary(deep.join('\n'), 'SUMMARY.md');
  let depth = 0;
  for (let at: SummaryEntry[] = summary.entries; at.length > 0; at = at[0]?.children ?? []) depth++;
  expect(depth).toBe(32);

  for (const unit of ['[', '](', '#', ' ', '`', '<a id="', '* ', '\t', '&'])
    for (const lead of ['* ', '# ', '']) parseSummary(lead + unit.repeat(200_000), 'SUMMARY.md');
});
