import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

const code = (info: string): string => `\`\`\`${info}\na\n\`\`\`\n`;
const dataOf = (markdown: string) => (parseMarkdown(markdown).nodes[0] as Block).data;

/** The Markdown of a code block after its data was changed. */
const withData = (markdown: string, data: object): string => {
  const document = parseMarkdown(markdown);
  const [first] = document.nodes as [Block];
  return serializeMarkdown({ ...document, nodes: [{ ...first, data: { ...first.data, ...data } }] });
};

describe('the title of a code block', () => {
  test.for([
    ['js title="a.js"', { syntax: 'js', title: 'a.js' }],
    ["jsx title='/src/a b.js' showLineNumbers {1,4-6}", { syntax: 'jsx', title: '/src/a b.js' }],
    ['py {title="a.py" linenums="1"}', { syntax: 'py', title: 'a.py' }],
    ['{.python title="a.py"}', { syntax: 'python', title: 'a.py' }],
    ['js [a.js]', { syntax: 'js', title: 'a.js' }],
    ['js{1,3} [a.js]', { syntax: 'js', title: 'a.js' }],
    ['js:line-numbers {1} [a.js]', { syntax: 'js', title: 'a.js' }],
    ['js{1,3}', { syntax: 'js' }],
    ['js title=""', { syntax: 'js' }],
    ['js subtitle="a"', { syntax: 'js' }],
    ['[a.js]', { syntax: '[a.js]' }],
    ['c++', { syntax: 'c++' }],
  ] as const)(
    'the title of a code block, and its language, are read from what follows the fence: %s',
    ([info, data]) => {
      expect(dataOf(code(info))).toEqual(data);
      expect(serializeMarkdown(parseMarkdown(code(info)))).toBe(code(info));
    },
  );

  test('the title of a code block in a tag counts, not that of its fence', () => {
    const tagged = `{% code title="A" lineNumbers="true" %}\n${code('js title="B"')}{% endcode %}\n`;
    expect(dataOf(tagged)).toEqual({ syntax: 'js', title: 'A', lineNumbers: true });
    expect(serializeMarkdown(parseMarkdown(tagged))).toBe(tagged);
    const untitled = `{% code lineNumbers="true" %}\n${code('js title="B"')}{% endcode %}\n`;
    expect(dataOf(untitled)).toEqual({ syntax: 'js', title: 'B', lineNumbers: true });
    expect(serializeMarkdown(parseMarkdown(untitled))).toBe(untitled);
  });

  test.for([
    ['js title="a.js" {1}', { title: 'b.js' }, code('js title="b.js" {1}')],
    ['js [a.js]', { title: 'b.js' }, code('js [b.js]')],
    ['js [a.js]', { title: undefined }, code('js')],
    ['js title="a.js" {1}', { title: undefined }, code('js {1}')],
    ['js title="a.js" {1}', { syntax: 'ts' }, `{% code title="a.js" %}\n${code('ts')}{% endcode %}\n`],
    ['js [a.js]', { title: 'b]' }, `{% code title="b]" %}\n${code('js')}{% endcode %}\n`],
    [
      'js [a.js]',
      { lineNumbers: true },
      `{% code lineNumbers="true" %}\n${code('js [a.js]')}{% endcode %}\n`,
    ],
    ['js', { title: 'b.js' }, `{% code title="b.js" %}\n${code('js')}{% endcode %}\n`],
  ] as const)('the title of a code block is written where it was: %s with %j', ([info, data, expected]) => {
    expect(withData(code(info), data)).toBe(expected);
  });

  test('the title of a code block is read again, whatever it is and however it was written before', () => {
    const infos = fc.constantFrom(
      '',
      'js',
      'js title="a"',
      "js {title='a'}",
      'js [a]',
      'js{1} [a]',
      '{.js title="a"}',
    );
    const title = fc.oneof(
      fc.constant(undefined),
      fc.stringMatching(/^[a-z."'\\[\]{}$&;`~ =%]{1,12}$/).filter((text) => text.trim() === text),
    );
    fc.assert(
      fc.property(infos, title, (info, changed) => {
        const data = dataOf(withData(code(info), { title: changed }));
        expect([data?.title, data?.syntax]).toEqual([changed, dataOf(code(info))?.syntax]);
      }),
      { numRuns: 500 },
    );
  });
});
