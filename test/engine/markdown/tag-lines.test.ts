import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { updateBody } from '../../../routers/engine/export/body.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { expectExact } from './exact.ts';
import { outlineOf } from './outline.ts';

const HINT = '{% hint style="info" %}';
const END = '{% endhint %}';

describe('template tags that share a line', () => {
  test.for([
    [`${HINT} Some **text**. ${END}\n`, 'hint'],
    [`${HINT}Some text.${END}\n`, 'hint'],
    [`${HINT} Some text\nof two lines. ${END}  \n`, 'hint'],
    [`${HINT}\nSome text. ${END}\n`, 'hint'],
    [`${HINT} ## Title\n\nText.\n\n${END}\n`, 'hint[heading-1]'],
    [`${HINT} A ${END} ${HINT} B ${END}\n`, 'hint hint'],
    [
      '{% tabs %} {% tab title="A" %}\n\n* a\n\n{% endtab %} {% tab title="B" %} b {% endtab %} {% endtabs %}\n',
      'tabs[tabs-item[list-unordered[list-item]] tabs-item]',
    ],
    ['{% embed url="https://x.org" %}{% endembed %}\n', 'embed'],
    ['{% file src="a.pdf" %} The **file**. {% endfile %}\n', 'file'],
    ['{% content-ref url="a.md" %} [a.md](a.md) {% endcontent-ref %}\n', 'content-ref'],
    [`* a\n\n  ${HINT} b ${END}\n* ${HINT} c ${END}\n`, 'list-unordered[list-item[hint] list-item[hint]]'],
    [`1. ${HINT} a\n   b ${END}\n`, 'list-ordered[list-item[hint]]'],
    [`> ${HINT} a ${END}\n> ${HINT} b ${END}\n`, 'blockquote[hint hint]'],
    [`${HINT} Begin with \`${HINT}\` and end with \`${END}\`. ${END}\n`, 'hint'],
  ] as const)(
    'template tags that share a line are read like those on lines of their own: %j',
    ([markdown, outline]) => {
      const document = parseMarkdown(markdown);
      expect(outlineOf(document.nodes)).toBe(outline);
      expect(serializeMarkdown(document)).toBe(markdown);
    },
  );

  test.for([
    `Begin with \`${HINT}\` and end with \`${END}\`.\n`,
    `Begin with ${HINT} and end with ${END}.\n`,
    `${HINT} never ends\n`,
    `ends without a beginning ${END}\n`,
    `    ${HINT} code ${END}\n`,
    `\`\`\`\n${HINT} code ${END}\n\`\`\`\n`,
    `> \`\`\`\n> ${HINT} code ${END}\n> \`\`\`\n`,
    `<pre>\n${HINT} code ${END}\n</pre>\n`,
    `${HINT} > quoted ${END}\n`,
    `\\${HINT} text \\${END}\n`,
    'For {% if a %} one {% endif %} of them.\n\n{% if a %} one {% endif %}\n',
  ])('template tags that share a line are text in sentences, and in code: %j', (markdown) => {
    const document = parseMarkdown(markdown);
    expect(outlineOf(document.nodes)).not.toContain('hint');
    expect(outlineOf(document.nodes)).not.toContain('if');
    expect(serializeMarkdown(document)).toBe(markdown);
  });

  test('template tags that share a line leave the lines of other blocks as they are when a block is edited', () => {
    const body = `*  odd\n\n${HINT} First. ${END}\n\n${HINT} Second\nhint. ${END} ${HINT} Third. ${END}\n\nLast.\n`;
    const links = { hrefOf: () => '', resolve: () => undefined };
    const before = parseMarkdown(body);
    const edited = (index: number, text: string) => ({
      ...before,
      nodes: before.nodes.map((node, at) =>
        at === index ? { ...(parseMarkdown(text).nodes[0] as Block), key: node.key as string } : node,
      ),
    });
    expect(updateBody(body, before, before, links)).toBe(body);
    expect(updateBody(body, before, edited(4, 'Very last.\n'), links)).toBe(
      body.replace('Last.', 'Very last.'),
    );
    expect(updateBody(body, before, edited(1, `${HINT}\nEdited.\n${END}\n`), links)).toBe(
      body.replace(`${HINT} First. ${END}`, `${HINT}\nEdited.\n${END}`),
    );
  });

  test('template tags that share a line come back byte for byte, whatever is next to them', () => {
    const piece = fc.constantFrom(
      ...[HINT, HINT, END, END, '{% tabs %}', '{% tab title="A" %}', '{% endtab %}', '{% endtabs %}'],
      ...['{% embed url="u" %}', '{% endembed %}', '{% content-ref url="u" %}', '{% endcontent-ref %}'],
      ...[
        'a',
        '**b**',
        '`',
        '\\',
        '* ',
        '1. ',
        '> ',
        '# ',
        '```\n',
        '    ',
        '<div>',
        '| a |\n|-|\n',
        '{%',
        '%}',
      ],
      ...[' ', ' ', ' ', '\t', '\n', '\n', '\n\n', '[^1]: ', '[r]: '],
    );
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(text, expectExact), { numRuns: 3000 });
  });
});
