import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document, InlineNode } from '../../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import {
  extractTexts,
  translateDocument,
  translatePlainText,
} from '../../../routers/engine/translation/documents.ts';
import { extractSegment } from '../../../routers/engine/translation/inline-text.ts';
import { pseudoTranslate } from '../../../routers/engine/translation/pseudo.ts';
import { countWords, parseTranslation } from '../../../routers/engine/translation/tagged-text.ts';

const inlinesOf = (markdown: string) => parseMarkdown(markdown).nodes[0]?.nodes as InlineNode[];

const translatedWith = (document: Document, translate: (text: string) => string) =>
  translateDocument(document, new Map(extractTexts(document).map(({ text }) => [text, translate(text)])));

/** A document without its texts, and without the anchors that translated headings keep. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  const { format: _, ...node } = value as Record<string, unknown>;
  const isRead = node.object === 'leaf' && JSON.stringify(node.marks).includes('code') === false;
  const fields = Object.entries(node).map(([name, field]) => {
    if ((isRead && name === 'text') || ['alt', 'caption', 'title', 'label'].includes(name))
      return [name, '…'];
    if (name === 'data' && String(node.type).startsWith('heading')) return [name, {}];
    return [name, shapeOf(field)];
  });
  return Object.fromEntries(fields);
}

test.for([
  ['Plain & 1 < 2 > 0', 'Plain &amp; 1 &lt; 2 &gt; 0'],
  ['Some **bold *and italic* words**.', 'Some <g1>bold </g1><g2>and italic</g2><g3> words</g3>.'],
  ['A [link **bold**](https://example.com) and `code`.', 'A <g1>link <g2>bold</g2></g1> and <x3/>.'],
  ['See https://example.com/a?b=c or mail me@example.com', 'See <x1/> or mail <x2/>'],
  ['Hello {{ user }} with $$x$$', 'Hello <x1/> with <x2/>'],
  ['One\\\ntwo', 'One<x1/>two'],
] as const)('untranslatable content is replaced by tags: %s', ([markdown, text]) => {
  expect(extractSegment(inlinesOf(markdown))?.text).toBe(text);
});

test.for(['`code`', '123 – 456', '[![](a.png)](https://example.com)', '$$x$$'])(
  'a text without words is not translated: %s',
  (markdown) => {
    expect(extractSegment(inlinesOf(markdown))).toBeUndefined();
  },
);

test('a translation may have its tags in a different order', () => {
  const segment = extractSegment(inlinesOf('Run `npm` with [care](https://example.com) **now**.'));
  expect(segment?.text).toBe('Run <x1/> with <g2>care</g2> <g3>now</g3>.');
  const nodes = segment?.applyTranslation('<g3>Jetzt</g3> mit <g2>Sorgfalt</g2> <x1></x1> &amp; mehr');
  expect(nodes).toEqual(inlinesOf('**Jetzt** mit [Sorgfalt](https://example.com) `npm` & mehr'));
});

test.for([
  ['that lacks a tag', 'Lauf mit <g2>Sorgfalt</g2> <g3>jetzt</g3>.'],
  ['that repeats a tag', '<x1/><x1/> mit <g2>Sorgfalt</g2> <g3>jetzt</g3>.'],
  ['that has an unknown tag', '<x1/> <x4/> mit <g2>Sorgfalt</g2> <g3>jetzt</g3>.'],
  ['that moves a tag into another', '<g2>mit <x1/> Sorgfalt</g2> <g3>jetzt</g3>.'],
  ['with overlapping tags', '<x1/> <g2>Sorgfalt <g3>jetzt</g2></g3>.'],
  ['with an unclosed tag', '<x1/> <g2>Sorgfalt</g2> <g3>jetzt.'],
  ['that empties a link', '<x1/> Sorgfalt <g2></g2> <g3>jetzt</g3>.'],
  ['without words', '<x1/> <g2>1</g2> <g3>2</g3>.'],
  ['that is far too long', `<x1/> <g2>a</g2> <g3>b</g3> ${'c'.repeat(1000)}`],
  ['with a character that cannot be stored', '<x1/> <g2>a\0</g2> <g3>b</g3>'],
  ['that is not a string', undefined],
] as const)('a translation %s is rejected', ([, translation]) => {
  const source = 'Run <x1/> with <g2>care</g2> <g3>now</g3>.';
  expect(parseTranslation(source, 'Lauf <x1/> mit <g2>Sorgfalt</g2> <g3>jetzt</g3>')).toBeDefined();
  expect(parseTranslation(source, translation)).toBeUndefined();
});

test('words are counted, or characters in scripts without spaces', () => {
  expect(countWords('Click <g1>the button&#39;s</g1> <x2/> A&amp;B')).toBe(5);
  expect(countWords('翻訳する')).toBe(4);
});

describe('translating a document', () => {
  const markdown = `# Title

Some **bold** text with a [link](page.md "Words") and \`code\`.

## Get started

## Get started

* [ ] one <mark style="color:red;">red</mark>
* two

| Name | Kind |
| ---- | ---- |
| **A** | \`b\` |

<details>

<summary>More</summary>

Body[^1]

</details>

{% tabs %}
{% tab title="First" %}
In a tab
{% endtab %}
{% endtabs %}

<figure><img src="https://example.com/a.png" alt="A picture"><figcaption><p>Its caption</p></figcaption></figure>

\`\`\`js
const word = 'kept';
\`\`\`

<a href="https://example.com" class="button primary">Go</a>

[^1]: A note`;

  test('a translated document differs only in its texts, and the anchors of headings', () => {
    const document = parseMarkdown(markdown);
    const translated = translatedWith(document, pseudoTranslate);
    expect(shapeOf(translated)).toEqual(shapeOf(document));
    const texts = JSON.stringify(translated);
    for (const word of [
      'Some',
      'Words',
      'More',
      'First',
      'A picture',
      'Its caption',
      'A note',
      'Name',
      '"Go"',
    ])
      expect(texts).not.toContain(word);
    expect(texts).toContain("const word = 'kept';");
    const headings = translated.nodes.filter(({ type }) => type.startsWith('heading'));
    expect(headings.map(({ data }) => data?.id)).toEqual(['title', 'get-started', 'get-started-1']);
  });

  test('a document without translations is unchanged', () => {
    const document = parseMarkdown(markdown);
    expect(translateDocument(document, new Map())).toBe(document);
  });

  test('a document is translated by runs if a whole text has no translation', () => {
    const document = parseMarkdown('Some **bold** text at https://example.com & `more`');
    const runs = extractTexts(document).flatMap((text) => text.runs);
    const translated = translateDocument(document, new Map(runs.map((run) => [run, run.toUpperCase()])));
    expect(translated.nodes).toMatchObject(
      parseMarkdown('SOME **BOLD** TEXT AT https://example.com & `more`').nodes.map(({ nodes }) => ({
        nodes,
      })),
    );
  });

  test('a translated document keeps its structure whatever its inline nodes are', () => {
    const marks = fc.subarray(['bold', 'italic', 'code', 'keyboard'] as const, { maxLength: 2 });
    const leaf = fc.record({
      object: fc.constant('leaf' as const),
      text: fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom('a', 'word & <x1/>', ' b ', '', '{{x}}', 'c\nd'),
      ),
      marks: marks.map((types) => types.map((type) => ({ object: 'mark' as const, type }))),
    });
    const text = fc.record(
      {
        object: fc.constant('text' as const),
        key: fc.string({ minLength: 1, maxLength: 3 }),
        leaves: fc.array(leaf, { maxLength: 3 }),
      },
      { requiredKeys: ['object', 'leaves'] },
    );
    const link = fc.record({
      object: fc.constant('inline' as const),
      type: fc.constant('link'),
      data: fc.constant({ ref: { kind: 'url', url: 'https://example.com' } }),
      nodes: fc.array(text, { maxLength: 2 }),
    });
    const emoji = fc.constant({
      object: 'inline' as const,
      type: 'emoji',
      isVoid: true,
      data: { code: '1f600' },
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(text, link, emoji), { minLength: 1, maxLength: 5 }), (nodes) => {
        const segment = extractSegment(nodes as InlineNode[]);
        if (!segment) return;
        expect(segment.applyTranslation(segment.text)).toEqual(nodes);
        expect(segment.applyRunTranslations(segment.runs)).toEqual(nodes);
      }),
    );
  });
});

test('a translated plain text keeps its URLs and placeholders', () => {
  const translations = new Map([['Go to <x1/> as <x2/>', 'Gehe als <x2/> zu <x1/>']]);
  expect(translatePlainText(' Go to https://example.com as {{user}}', translations)).toBe(
    ' Gehe als {{user}} zu https://example.com',
  );
  expect(translatePlainText('Other', translations)).toBe('Other');
});
