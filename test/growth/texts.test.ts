import { expect, test } from 'vitest';
import type { Document, Inline } from '../../routers/engine/document/document.ts';
import { findHeadings, plainText } from '../../routers/engine/document/readers.ts';
import { readPageHead } from '../../routers/engine/import/page-head.ts';
import { scanReferences } from '../../routers/engine/import/references.ts';
import { parseSummary } from '../../routers/engine/import/summary.ts';
import { collectDocumentLinks } from '../../routers/engine/links/document-links.ts';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { fragment, paragraph, textNode } from '../../routers/engine/markdown/nodes.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { slugify } from '../../routers/engine/store/slug.ts';
import { expectLinear, processorTime } from '../helpers/growth.ts';
import { PREFIXES, SUFFIXES, UNITS } from './text-grammar.ts';

/** LONG_GROWTH=<minutes> tests more and larger texts. */
const MINUTES = Number(process.env.LONG_GROWTH ?? 0);
const LARGE = MINUTES > 0 ? 128 * 1024 : 8 * 1024;
/** The larger text of two is this many times as long. */
const FACTOR = 8;
/** A step whose time per character grows by this factor is suspicious, and measured again more precisely. */
const SUSPICIOUS = 1.6;
/** Times below this are ignored, in milliseconds. */
const FAST = MINUTES > 0 ? 15 : 8;

/** A family of texts by size. */
type TextFamily = { name: string; make: (size: number) => string };
/** A step of processing a text; `prepare` is not measured. */
type Step = { prepare: (text: string) => unknown; run: (input: never) => unknown };

const STEPS: Record<string, Step> = {
  read: step(String, parseMarkdown),
  write: step(parseMarkdown, serializeMarkdown),
  'read again': step(roundTrip, parseMarkdown),
  links: step(parseMarkdown, collectDocumentLinks),
  text: step(parseMarkdown, plainText),
  headings: step(parseMarkdown, findHeadings),
  published: step(parseMarkdown, published),
  slug: step(String, slugify),
  references: step(String, scanReferences),
  'page head': step(String, readPageHead),
  'table of contents': step(String, (text) => parseSummary(text, 'SUMMARY.md')),
  'entry of a table of contents': step(
    (text) => `* ${text}`,
    (text) => parseSummary(text, 'SUMMARY.md'),
  ),
};

function step<T>(prepare: (text: string) => T, run: (input: T) => unknown): Step {
  return { prepare, run };
}

function roundTrip(text: string): string {
  return serializeMarkdown(parseMarkdown(text));
}

function repeated(prefix: string, unit: string, suffix: string): TextFamily {
  const make = (size: number) => prefix + unit.repeat(Math.ceil(size / unit.length)) + suffix;
  return { name: `${quote(prefix)} + ${quote(unit)}... + ${quote(suffix)}`, make };
}

/** Repeats one unit and then another, such as openers and closers. */
function nested(prefix: string, first: string, second: string, suffix: string): TextFamily {
  const make = (size: number) => {
    const count = Math.ceil(size / (first.length + second.length));
    return prefix + first.repeat(count) + second.repeat(count) + suffix;
  };
  return { name: `${quote(prefix)} + ${quote(first)}... + ${quote(second)}... + ${quote(suffix)}`, make };
}

const quote = (text: string) => JSON.stringify(text);

/** Measures the steps; returns an error for each that takes more than linear time. */
function slowSteps({ name, make }: TextFamily): string[] {
  const small = timesOf(make(LARGE / FACTOR));
  const large = make(LARGE);
  const times = timesOf(large);
  const suspects = Object.keys(STEPS)
    .filter(
      (label) => (times.get(label) ?? 0) > Math.max(FAST, SUSPICIOUS * FACTOR * (small.get(label) ?? 0)),
    )
    .filter((label) => isSlower(STEPS[label] as Step, make));
  return suspects.flatMap((label) => {
    const { prepare, run } = STEPS[label] as Step;
    try {
      expectLinear(`${label} of ${name}`, (size) => prepare(make(size)), run as (input: unknown) => unknown, {
        from: LARGE / FACTOR / 4,
      });
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/**
 * Whether a large text takes clearly more time than small texts of the same total length. A single small text takes too
 * little time to measure, so most suspects were only disturbed.
 */
function isSlower({ prepare, run }: Step, make: TextFamily['make']): boolean {
  const small = Array.from({ length: FACTOR }, () => prepare(make(LARGE / FACTOR)));
  const large = prepare(make(LARGE));
  const expected = processorTime(() => {
    for (const input of small) run(input as never);
  });
  return processorTime(() => run(large as never)) > Math.max(FAST, SUSPICIOUS * expected);
}

function timesOf(text: string): Map<string, number> {
  const times = new Map<string, number>();
  let document: Document | undefined;
  let written: string | undefined;
  for (const [label, { prepare, run }] of Object.entries(STEPS)) {
    // The input that several steps share is prepared only once.
    const input =
      prepare === parseMarkdown ? document : prepare === roundTrip && written ? written : prepare(text);
    let result: unknown;
    const time = processorTime(() => {
      result = run(input as never);
    });
    times.set(label, time);
    if (label === 'read') document = result as Document;
    if (label === 'write') written = result as string;
  }
  return times;
}

/** A deterministic random generator. */
function chooser(seed: number): <T>(list: readonly T[]) => T {
  let state = seed;
  return (list) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)] as (typeof list)[number];
  };
}

function findSlow(texts: Iterable<TextFamily>): string[] {
  const slow: string[] = [];
  for (const text of texts) slow.push(...slowSteps(text));
  return slow;
}

/** Runs `count` texts, or as many as the time of a long run allows. */
function* generate(count: number, seed: number, make: (choose: ReturnType<typeof chooser>) => TextFamily) {
  const choose = chooser(seed);
  const end = performance.now() + MINUTES * 20_000;
  for (let made = 0; made < count || performance.now() < end; made++) yield make(choose);
}

/** Texts that once took quadratic time. */
const KNOWN: TextFamily[] = [
  repeated('# a', ' ', 'b'),
  repeated('# a', ' ', '{#b'),
  repeated('# a', '.', 'b'),
  repeated('# ', '#', 'b#b'),
  repeated('', '*', 'a'),
  repeated('[', '[]', '](b)'),
  repeated('` ', 'a', ' a`'),
  repeated('{% embed url="', ' ', 'a" %}'),
  repeated('{% @a/', 'b', '"%}'),
  repeated('---', ' ', ''),
  repeated('a\\\n\\---', ' ', 'a'),
  repeated('a', '\u0301\u0316', ''),
  nested('| a |\n|-|\n| ', '===\n', '(a "b")', ''),
  repeated('', 'a[^1] ', '\n\n[^1]: a'),
];

const options = { timeout: 120_000 + MINUTES * 60_000 };

test('texts that were once slow take linear time', options, () => {
  expect(findSlow(KNOWN)).toEqual([]);
});

test.each<[string, TextFamily[]]>([
  [
    'HTML that is shown as its elements and text',
    [
      repeated('', '<p>a</p>\n', 'b'),
      repeated('<p>a\n', '</div><div>', 'b'),
      repeated('<div>\n', '<p>a ', 'b'),
      repeated('<p>a</p>', '<!-- b -->', '<!--'),
      repeated('<div>a</div>\n', '<a href="b">c</a>\n', ''),
      nested('<p>a</p>\n', '<div>', '</p>', 'b'),
      repeated('<div>a</div>', '<table><tr><td>b</td></tr></table>', ''),
      repeated('<table class="a"><tr><td>', '<dl><dt>b</dt><dd>c</dd></dl>', '</td></tr></table>'),
      repeated('<table class="a"><tr><td>', '<table><tr><td>b</table>', '</td></tr></table>'),
    ],
  ],
  [
    'malformed HTML, and divided tables',
    [
      repeated('', '<table>\n\n', ''),
      repeated('', '<table>\n\n<td>a</td>\n\n', ''),
      repeated('', '<table>\n\n<td>a</td>\n\nb\n\n</table>\n\n', ''),
      repeated('<table>\n\n', '<td>a</td>\n\n', 'b\n\n</table>\n'),
      repeated('<table>\n<tr><td><pre>', 'a\n\n', '</pre></td></tr></table>\n'),
      repeated('', '> <table>\n>\n> <td>a</td>\n', ''),
      nested('', '<table>\n\n', '</table>\n\n', 'a\n\n'),
      repeated('<table>', '<tr><td>a</b></td></dl></tr>', '</table>'),
      repeated('<table>', '<tr><td><b>a', '</table>'),
      repeated('<table><tr><td><b>', '< ', '</td></tr></table>'),
      repeated('<p>', '<b><i></b></i>', ''),
      repeated('', '<div>\n<style>\n\n', ''),
      repeated('<div>\n', '<style ', '\n</div>\n'),
      repeated('<p a', 'a', '>b</p>\n<p a={b}>c</p>\n'),
      repeated('<div>\n<style>\n', 'a\n\n', '</style></div>\n'),
      repeated('<div>\n', '<style>\n', '</style></div>\n'),
      repeated('<p', ' a={{}}', '>b</p>\n'),
      repeated('', '<p a={>b</p>\n', ''),
      repeated('<p a={', '{', '}>b</p>\n'),
    ],
  ],
  [
    'components of MDX',
    [
      repeated('<Tabs>\n', '<Tab title="a">\nb\n</Tab>\n', '</Tabs>\n'),
      repeated('<Note>\n', '<Ab>\na\n</Ab>\n', '</Note>\n'),
      repeated('<Note>\na', '</Ab>', '\n</Note>\n'),
      repeated('<Note>\na', '</Ab> ', 'a\n</Note>\n'),
      repeated('<Note>\na', ' ', 'a\n</Note>\n'),
      repeated('<Note>\n', '```\n<Note>\n```\n', '</Note>\n'),
      repeated('<Cards>\n', '<Card title="a" href="b"/>\n', '</Cards>\n'),
      repeated('', `${'<Ab>\n'.repeat(6)}a\n${'</Ab>\n'.repeat(6)}\n`, ''),
      repeated('', '<Ab a="\n', ''),
      repeated('', '<Ab a={\n', ''),
      repeated('', '<Ab\na\n', ''),
      repeated('<Ab ', '{...a} ', '>\n'),
    ],
  ],
])('%s: read and shown in linear time', options, (_name, texts) => {
  expect(findSlow(texts)).toEqual([]);
});

test.each([
  ['items of a list that begin with HTML', '+ <thead>\n<!-- a -->\n'],
  ['lines of tags that begin no HTML', '<x>a\n***\n'],
])('%s are read in linear time', options, (name, unit) => {
  expectLinear(name, (size) => unit.repeat(size), parseMarkdown, { from: 2048 });
});

test.each([
  [
    'a footnote that is used often',
    (count: number) => `${'a[^1] '.repeat(count)}\n\n[^1]: ${'b '.repeat(count)}\n`,
  ],
  [
    'a wide cell in a long table',
    (count: number) => `| a |\n|-|\n| b\n${'b\n'.repeat(count)}${'c'.repeat(count)}\n`,
  ],
])('%s does not result in a document or Markdown far larger than the text', (_name, make) => {
  const sizes = [1000, 8000].map((count) => {
    const text = make(count);
    const document = parseMarkdown(text);
    const json = JSON.stringify(document).length;
    return (json + serializeMarkdown(JSON.parse(JSON.stringify(document))).length) / text.length;
  });
  expect(sizes[1]).toBeLessThan(2 * (sizes[0] as number));
});

test('annotations with the same label are renamed in linear time', () => {
  const note = (index: number): Inline => ({
    object: 'inline',
    type: 'annotation',
    isVoid: false,
    data: { label: '1' },
    nodes: [textNode('a')],
    fragments: [fragment('annotation-body', [paragraph([textNode(`note ${index}`)])])],
  });
  const make = (size: number): Document => ({
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [paragraph(Array.from({ length: size }, (_, index) => note(index)))],
  });
  expectLinear('annotations', make, serializeMarkdown);
});

test('a text that repeats one part takes linear time', options, () => {
  expect(findSlow(UNITS.map((unit) => repeated('', unit, 'a')))).toEqual([]);
});

test('a text that repeats one part between two others takes linear time', options, () => {
  const texts = generate(60, 1, (choose) => repeated(choose(PREFIXES), choose(UNITS), choose(SUFFIXES)));
  expect(findSlow(texts)).toEqual([]);
});

test('a text that alternates two parts takes linear time', options, () => {
  const texts = generate(40, 2, (choose) =>
    repeated(choose(PREFIXES), choose(UNITS) + choose(UNITS), choose(SUFFIXES)),
  );
  expect(findSlow(texts)).toEqual([]);
});

test('a text that repeats one part and then another takes linear time', options, () => {
  const texts = generate(40, 3, (choose) =>
    nested(choose(PREFIXES), choose(UNITS), choose(UNITS), choose(SUFFIXES)),
  );
  expect(findSlow(texts)).toEqual([]);
});
