import { expect, test } from 'vitest';
import { escapeTitle } from '../../../routers/engine/export/escape-title.ts';
import { readPageHead } from '../../../routers/engine/import/page-head.ts';

const bodyOf = (text: string) => text.slice(readPageHead(text).bodyStart);

test('all settings in the front matter of a page are read', () => {
  const text = `---
title: From front matter
slug: chosen
description: >-
  Two lines
  in one
icon: rocket
emoji: 1f680
cover: .gitbook/assets/a.png
coverDark: .gitbook/assets/b.png
coverY: -12.5
coverHeight: 300
hidden: true
if: visitor.claims.isBeta
noIndex: true
noRobotsIndex: false
vars:
  version: 1.2
  name: Colophon
layout:
  width: wide
  cover:
    visible: true
    size: full
    mask: radial
  title:
    visible: false
  outline:
    visible: true
  tags:
    visible: false
  actions:
    visible: true
  anchors: false
tags:
  - guides
  - tag: beta
    primary: true
  - tag: "2"
    primary: false
  - guides
---

Body
`;
  expect(readPageHead(text)).toEqual({
    attributes: {
      title: 'From front matter',
      slug: 'chosen',
      description: 'Two lines in one',
      icon: 'rocket',
      emoji: '🚀',
      cover: { light: '.gitbook/assets/a.png', dark: '.gitbook/assets/b.png', yPos: -12.5, height: 300 },
      hidden: true,
      condition: 'visitor.claims.isBeta',
      noIndex: true,
      variables: { version: '1.2', name: 'Colophon' },
      layout: {
        width: 'wide',
        cover: true,
        coverSize: 'full',
        coverMask: 'radial',
        title: false,
        description: true,
        tableOfContents: true,
        outline: true,
        pagination: true,
        metadata: true,
        tags: false,
        actions: true,
        anchors: false,
      },
      tags: [{ tag: 'guides' }, { tag: 'beta', primary: true }, { tag: '2' }],
    },
    problems: [],
    bodyStart: text.indexOf('Body'),
  });
});

test('a page with an invalid condition is hidden from all visitors', () => {
  for (const written of ['visitor.claims.isBeta()', '[visitor.claims.isBeta]', '""', '1.5', '{ a: b }']) {
    const { attributes, problems } = readPageHead(`---\nif: ${written}\n---\n\nBody\n`);
    expect(attributes).toEqual({ condition: 'false' });
    expect(problems).toMatchObject([
      { message: expect.stringContaining('hidden from all visitors'), line: 2 },
    ]);
  }
  expect(readPageHead('---\nif: false\n---\n')).toMatchObject({
    attributes: { condition: 'false' },
    problems: [],
  });
});

test('a heading at the start is the title and not part of the body', () => {
  for (const heading of [
    '# Title',
    '#   Title  ##',
    'Title\n=====',
    '# **Ti**`tle` <a href="#t" id="t"></a>',
  ])
    expect(readPageHead(`\n${heading}\n\nBody\n# Other\n`)).toMatchObject({ heading: 'Title' });
  expect(bodyOf('# Title\n\nBody\n# Other\n')).toBe('Body\n# Other\n');
  expect(bodyOf('---\nicon: x\n---\n\nTitle\n===\nBody')).toBe('Body');
  expect(readPageHead('# C#\n').heading).toBe('C#');
  for (const heading of ['# Title {#own-id}', '# Title <a href="#x" id="x"></a>', 'Title {#own-id}\n==='])
    expect(readPageHead(`${heading}\n\nBody\n`)).toMatchObject({ heading: 'Title' });
  expect(readPageHead('Text\n\n# Later {#own-id}\n').laterHeading).toBe('Later');
  expect(readPageHead(`# ${escapeTitle('Title {#id}')}\n`).heading).toBe('Title {#id}');
});

test('a heading at the start is not part of the body, even if front matter has a title', () => {
  expect(bodyOf('---\ntitle: A\n---\n# A\nBody')).toBe('Body');
  expect(bodyOf('---\ntitle: A\n---\n# B\nBody')).toBe('Body');
});

test('statements of MDX may precede the title heading, and are part of the body if there is none', () => {
  const statements = "import A from 'a';\nimport {\n  B,\n} from 'b'\n\nexport const c = 1;\n\n";
  expect(bodyOf(`---\ndescription: A\n---\n${statements}<!-- d -->\n\n# T\nBody`)).toBe('Body');
  const condition = 'export const c = 1;\n{% if visitor.claims.a %}\n\n# T\n{% endif %}\n';
  for (const text of [
    condition,
    `${statements}Body`,
    "import A from 'a' and\n\n# T\n",
    "import A from 'a'\n# T\n",
  ])
    expect(bodyOf(text)).toBe(text);
});

test('comments may precede the title heading, and are part of the body if there is none', () => {
  expect(bodyOf('<!-- lint: off -->\n\n<!-- two\nlines -->\n# T\nBody')).toBe('Body');
  for (const text of ['<!-- a -->\nBody', '<!-- a --> # T\n', '<!-- never closed\n# T\n', '<!-- a -->'])
    expect(bodyOf(text)).toBe(text);
});

test('a later heading is returned as a possible title but stays in the body', () => {
  const text = 'Intro\n\n```\n# a comment\n```\n\n# Real\n';
  expect(readPageHead(text)).toMatchObject({ laterHeading: 'Real', bodyStart: 0 });
});

test.for([
  '```\n```js\n# a comment\n```\n',
  '````\n```\n# a comment\n````\n',
  '~~~\n```\n# a comment\n~~~\n',
  '1. ```sh\n   # a comment\n   ```\n',
  '> - ~~~\n>   x\n# a comment\n~~~\n',
  '<!-- nothing -->\n\nIntro\n\n<!--\n# a note\n-->\n',
])('headings in code or comments are not later headings: %j', (code) => {
  expect(readPageHead(`Intro\n\n${code}`).laterHeading).toBeUndefined();
  expect(readPageHead(`Intro\n\n${code}\n# Real\n\n# Other\n`).laterHeading).toBe('Real');
});

test('other content at the start is not a title', () => {
  for (const text of [
    '## Second level\n',
    '#hashtag\n',
    '- item\n===\n',
    '> quote\n===\n',
    'text\ntext\n===\n',
    '',
  ])
    expect([readPageHead(text).heading, readPageHead(text).bodyStart]).toEqual([undefined, 0]);
});

test('a rule at the top of a file is not front matter', () => {
  expect(readPageHead('---\n\nText without an end\n').bodyStart).toBe(0);
  expect(readPageHead('---\n\nJust a sentence.\n\n---\n').bodyStart).toBe(0);
  expect(readPageHead('---\n---\nBody').attributes).toEqual({});
});

test('invalid front matter is ignored and reported with its line', () => {
  const head = readPageHead('---\nicon: x\ndescription: one: two\n---\n# T\nBody');
  expect(head).toMatchObject({ attributes: {}, heading: 'T' });
  expect(head.problems).toMatchObject([{ line: 3, severity: 'warning' }]);
});

test('unknown and invalid settings are reported, and the others apply', () => {
  const head = readPageHead(
    '---\nkeywords: x\nhidden: perhaps\ncoverY: .nan\nicon: x\nlayout: {footer: {}}\n---\n',
  );
  expect(head.attributes).toMatchObject({ icon: 'x' });
  expect(head.attributes.hidden).toBeUndefined();
  expect(head.problems.map(({ line, severity }) => [line, severity])).toEqual([
    [3, 'warning'],
    [4, 'warning'],
    [undefined, 'info'],
  ]);
  expect(head.problems.at(-1)?.message).toBe(
    'The front matter\'s "keywords", "layout.footer" are kept but have no effect.',
  );
});

test('a layout of another tool, which is a name, has no effect', () => {
  const { attributes, problems } = readPageHead('---\nlayout: post\ndate: 2020-01-01\n---\n');
  expect(attributes).toEqual({});
  expect(problems).toEqual([
    expect.objectContaining({
      severity: 'info',
      message: 'The front matter\'s "layout", "date" are kept but have no effect.',
    }),
  ]);
});

test('tags are slugs or objects, without duplicates, up to a maximum number', () => {
  const tagsIn = (written: string) => readPageHead(`---\ntags: ${written}\n---\n`);
  expect(tagsIn('[a, 2, {tag: a, primary: true}]').attributes).toEqual({
    tags: [{ tag: 'a', primary: true }, { tag: '2' }],
  });
  expect(tagsIn('[]')).toMatchObject({ attributes: {}, problems: [] });
  expect(tagsIn('proxy').attributes).toEqual({ tags: [{ tag: 'proxy' }] });
  expect(tagsIn('firewall, port mapping,').attributes).toEqual({
    tags: [{ tag: 'firewall' }, { tag: 'port mapping' }],
  });
  for (const written of ['{a: b}', '[[]]', '[""]', '[{name: a}]', `[${'a,'.repeat(101)}]`]) {
    const { attributes, problems } = tagsIn(written);
    expect(attributes).toEqual({});
    expect(problems).toMatchObject([{ line: 2, severity: 'warning' }]);
  }
});

test('settings named like properties of Object.prototype have no effect', () => {
  const head = readPageHead(
    '---\n__proto__: {icon: x}\nconstructor: y\ntoString: z\nvars: {__proto__: a, b: c}\n---\n',
  );
  expect(head.attributes).toEqual({ variables: { b: 'c' } });
  expect(head.attributes.icon).toBeUndefined();
});

test('hostile front matter is rejected quickly and without throwing', () => {
  const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefghi']
    .map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]\n`)
    .join('')}`;
  for (const yaml of [
    bomb,
    'emoji: {toString: a, valueOf: b}',
    '['.repeat(60_000),
    `a: ${'{a: '.repeat(10_000)}`,
    'x'.repeat(1_000_000),
    `"${'\\'.repeat(60_000)}`,
  ]) {
    const head = readPageHead(`---\n${yaml}\n---\n# T\n`);
    expect(head.attributes).toEqual({});
  }
});

test('characters from YAML escapes that cannot be stored are replaced', () => {
  const head = readPageHead('---\ndescription: "a\\0b\\nc \\uD800"\nvars: {v: "x\\0"}\n---\n');
  expect(head.attributes).toEqual({ description: 'a\uFFFDb c \uFFFD', variables: { v: 'x\uFFFD' } });
});

test.for([
  ['# 1. Basics\n\nA\n\n# 2. More\n', 'Notes'],
  ['---\ntitle: Notes\n---\n\n# 1. Basics\n\n# 2. More\n', undefined],
] as const)(
  'a first heading beside others is that of a section if the page has another title: %j',
  ([text, label]) => {
    const head = readPageHead(text, 'title', label);
    expect(head.heading).toBeUndefined();
    expect(text.slice(head.bodyStart)).toMatch(/^# 1/);
  },
);

test.for([
  ['# Notes\n\n# 1. Basics\n', 'Notes'],
  ['# NOTES!\n\n# 1. Basics\n', 'notes'],
  ['# 1. Basics\n\nA\n\n## More\n', 'Notes'],
  ['# 1. Basics\n\n```sh\n# a\n```\n', 'Notes'],
  ['# 1. Basics\n\n# 2. More\n', undefined],
] as const)(
  'a first heading is the title if it says the same, or has no others like it: %j',
  ([text, label]) => {
    expect(readPageHead(text, 'title', label).heading).toMatch(/^(?:notes|1\. Basics)/i);
  },
);
