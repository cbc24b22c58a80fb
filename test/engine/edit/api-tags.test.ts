import { describe, expect, test } from 'vitest';
import type { Block, Document } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { afterEdit, rewrite, textOf } from './after-edit.ts';

describe('the tags of an operation, of which the opening ones are published as paragraphs', () => {
  const PARAMETER =
    '{% swagger-parameter in="path" name="ver" type="String" required="true" %}\nOld\n{% endswagger-parameter %}\n';
  const RESPONSE =
    '{% swagger-response status="200: OK" description="Fine" %}\n```json\n{}\n```\n{% endswagger-response %}\n';
  const leavesOf = (block: Block | undefined) => textOf(block).leaves;
  const setLeaf = (index: number, text: string) => (document: Document) => {
    const leaf = leavesOf(document.nodes[0])[index];
    if (leaf) leaf.text = text;
  };

  test.for([
    ['a name', PARAMETER, 0, 'version', ['"ver"', '"version"']],
    ['a type', PARAMETER, 2, ' Number, path', ['"String"', '"Number"']],
    ['a place', PARAMETER, 2, ' String, query', ['"path"', '"query"']],
    ['a name with quotes', PARAMETER, 0, 'a"b', ['"ver"', '"a\\"b"']],
    ['a status', RESPONSE, 0, '201: Created', ['200: OK', '201: Created']],
    ['a description', RESPONSE, 1, ' Made', ['"Fine"', '"Made"']],
  ] as const)('get an edit of %s', ([, markdown, index, text, [from, to]]) => {
    expect(afterEdit(markdown, setLeaf(index, text))).toBe(markdown.replace(from, to));
  });

  test('say that a parameter is no longer required', () => {
    const edited = afterEdit(PARAMETER, ({ nodes }) => void leavesOf(nodes[0]).splice(1, 1));
    expect(edited).toBe(PARAMETER.replace('required="true"', 'required="false"'));
  });

  test('are both replaced if the opening one cannot say what the paragraph says', () => {
    const markLast = ({ nodes }: Document) =>
      leavesOf(nodes[0]).push({ object: 'leaf', text: ' more', marks: [{ object: 'mark', type: 'bold' }] });
    expect(afterEdit(PARAMETER, markLast)).toBe(
      '`ver`<mark style="color:red;">\\*</mark> _String, path_ **more**\n\nOld\n',
    );
    expect(
      afterEdit(PARAMETER, ({ nodes }) => {
        textOf(nodes[0]).leaves = [{ object: 'leaf', text: 'Words', marks: [] }];
      }),
    ).toBe('Words\n\nOld\n');
  });

  test('are never left alone if a document is sent back without keys', () => {
    for (const index of [0, 1]) {
      const edited = afterEdit(PARAMETER, (document) => {
        rewrite(document.nodes[index], 'Other');
        document.nodes = JSON.parse(
          JSON.stringify(document.nodes, (name, entry) => (name === 'key' ? undefined : entry)),
        );
      });
      expect(edited).toContain('Other');
      expect(edited.includes('{% swagger-parameter')).toBe(edited.includes('{% endswagger-parameter'));
    }
  });

  test('are both gone if one of them is deleted or moved', () => {
    const whole = `* a\n\n${PARAMETER}\nAfter\n`;
    const indexOf = (nodes: Block[], type: string) => nodes.findIndex((block) => block.type === type);
    const withoutOpening = afterEdit(whole, ({ nodes }) => void nodes.splice(indexOf(nodes, 'paragraph'), 1));
    expect(withoutOpening).toBe('* a\n\nOld\n\nAfter\n');
    const withoutEnd = afterEdit(whole, ({ nodes }) => void nodes.splice(indexOf(nodes, 'markdown'), 1));
    expect(withoutEnd).not.toContain('{%');
    expect(withoutEnd).toContain('String, path');
    const moved = afterEdit(whole, ({ nodes }) => {
      const [end] = nodes.splice(indexOf(nodes, 'markdown'), 1);
      nodes.unshift(end as Block);
    });
    expect(moved).not.toContain('{%');
  });

  test('stay in a pair around another that is replaced', () => {
    const markdown = `{% swagger method="get" path="/a" %}\n${PARAMETER}{% endswagger %}\n`;
    const edited = afterEdit(markdown, ({ nodes }) => {
      const parameter = nodes.find((block) => plainText([block]).startsWith('ver'));
      textOf(parameter).leaves = [{ object: 'leaf', text: 'Words', marks: [] }];
    });
    expect(edited).toContain('{% swagger method="get" path="/a" %}');
    expect(edited).toContain('{% endswagger %}');
    expect(edited).not.toContain('swagger-parameter');
  });
});
