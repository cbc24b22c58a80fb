import { describe, expect, test } from 'vitest';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { paragraph, textNode } from '../../../routers/engine/markdown/nodes.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

const shown = (markdown: string): string => plainText(published(parseMarkdown(markdown)));

describe('comments of MDX', () => {
  test.for([
    ['A {/* *b* */}c {/*d*/}\n', 'A c '],
    ['{/* a\nb {c} */}\n\nText\n', 'Text'],
    ['| a {/* b */} |\n| - |\n| c |\n', 'a \nc'],
  ] as const)('are not shown, and written as they were: %j', ([markdown, text]) => {
    expect(shown(markdown)).toBe(text);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });

  test.for(['{/* a', 'a */}', '`{/* a */}`', '\\{/* a */}'])(
    'are text where they do not end: %j',
    (markdown) => {
      expect(shown(markdown)).toBe(markdown.replace(/^\\|`/g, ''));
    },
  );

  test.for([
    ['## A title {/*given*/}\n', 'given'],
    ['## A title {/* #given-2 */}\n', 'given-2'],
    ['## A title {/* more words */}\n', undefined],
  ] as const)('give the heading before them its id: %j', ([markdown, id]) => {
    const [heading] = parseMarkdown(markdown).nodes;
    expect(heading?.data?.id).toBe(id);
    expect(shown(markdown).trim()).toBe('A title');
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });

  test('text that looks like one stays text', () => {
    const text = 'a {/* *b* */} c';
    const nodes = [paragraph([textNode(text)])];
    const written = serializeMarkdown({ object: 'document', data: { schemaVersion: 1 }, nodes });
    expect(shown(written)).toBe(text);
  });
});
