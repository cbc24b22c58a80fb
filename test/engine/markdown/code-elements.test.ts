import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { only, read, text } from './published-blocks.ts';

/** The lines of code in a text that is nothing else. */
function linesOf(markdown: string): unknown[] {
  expectExact(markdown);
  const code = only(markdown);
  expect([code.type, code.data?.syntax]).not.toContain('html');
  return (code.nodes ?? []).map((line) => plainText([line as Block]));
}

describe('code right in <pre>', () => {
  test.for<[string, string[]]>([
    ['<pre>one</pre>', ['one']],
    ['<pre>\none\n</pre>', ['one']],
    ['<pre>\n\n  one &lt;b&gt;\n\n  two\n</pre>', ['', '  one <b>', '', '  two']],
    ['<pre class="x" style="color: red" lang="en">one\ntwo</pre>', ['one', 'two']],
    ['<pre>one <a href="b">two</a> <span class="x">three</span><br>four</pre>', ['one two three', 'four']],
    ['<pre>\n<code>one\n</code></pre>', ['one']],
    ['<PRE>one</PRE>', ['one']],
  ])('%s', ([markdown, lines]) => {
    expect(linesOf(`${markdown}\n`)).toEqual(lines);
  });

  test('has its language and bold text', () => {
    expect(only('<pre class="language-js">a <strong>b</strong></pre>\n')).toMatchObject({
      type: 'code',
      data: { syntax: 'js' },
      nodes: [{ nodes: [text('a ', ['b', 'bold'])] }],
    });
  });

  test.for([
    '<pre>one\ntwo</pre>\n',
    '<pre>\none\n\n  two\n</pre>\n',
    '<pre class="x">one</pre>\n',
    '* a\n\n  <pre>\n  one\n    two\n  </pre>\n',
    '<pre class="highlight"><code>one\ntwo\n</code></pre>\n',
    '<pre>\none\nf(<b>x</b>)  <a href="b">y</a>\n</pre>\n',
    '<pre>one\n\n\n<i>t</i>wo</pre>\n',
    '<pre class="x">\n<code>one\n</code></pre>\n',
  ])('stays where it is edited: %s', (markdown) => {
    expect(editExported(markdown, '"one"', '"1 < 2"')).toBe(markdown.replace('one', '1 &#x3C; 2'));
  });

  test('stays code in cells', () => {
    const lines = (markdown: string) => {
      expectExact(markdown);
      const cell = only(markdown).fragments?.find(({ fragment }) => fragment === 'r1c1');
      return cell?.nodes.map(({ type, nodes = [] }) => [
        type,
        ...nodes.map((line) => plainText([line as Block])),
      ]);
    };
    const code = '<pre>one\n  two</pre>';
    expect(
      lines(`<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>${code}</td></tr></tbody></table>\n`),
    ).toEqual([['code', 'one', '  two']]);
    expect(lines(`<table><tr><td>${code}</td><td>b</td></tr></table>\n`)).toEqual([['code', 'one', '  two']]);
  });

  test('is shown as its source if it has elements that are no text', () => {
    for (const html of ['<pre>a<script>b</script></pre>', '<pre>a<img src="b"></pre>'])
      expect(published(read(`${html}\n`)).nodes).toMatchObject([{ type: 'code', data: { syntax: 'html' } }]);
  });
});
