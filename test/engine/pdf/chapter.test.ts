import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { refLabelsIn } from '../../../routers/engine/document/ref-labels.ts';
import { layOutChapter, plainChapter, withoutDeadLinks } from '../../../routers/engine/pdf/chapter.ts';
import { textsIn } from '../../../routers/engine/pdf/languages/index.ts';
import type { Node } from '../../../routers/engine/pdf/nodes.ts';
import { refKey, type Target } from '../../../routers/engine/pdf/targets.ts';

import { all, bookOf, documentOf, layOut, PAGE } from './laid-out.ts';

/** The maximum nesting of nodes. */
const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

const paragraph = (text: string) => ({
  object: 'block' as const,
  type: 'paragraph',
  nodes: [{ object: 'text' as const, leaves: [{ object: 'leaf' as const, text, marks: [] }] }],
});
const nested = (levels: number, type: string, item?: string): Document => {
  let inside: object = paragraph('deepest');
  for (let level = 0; level < levels; level++) {
    const held = item ? { object: 'block', type: item, nodes: [inside] } : inside;
    inside = { object: 'block', type, data: { style: 'info' }, nodes: [held] };
  }
  return { object: 'document', data: { schemaVersion: 8 }, nodes: [inside] } as Document;
};

describe('a page laid out for print', () => {
  test('the blocks of a page are laid out in order, with headings at most one level below the previous one', () => {
    const { c, anchors } = layOut('### Deep\n\nText\n\n## Upper\n\n#### Lower\n\n***\n');
    expect(c.map((node) => (node.t === 'heading' ? `${node.t} ${node.level}` : node.t))).toEqual([
      'heading 2',
      'p',
      'heading 2',
      'heading 3',
      'divider',
    ]);
    expect(anchors).toEqual(['page#deep', 'page#upper', 'page#lower']);
  });

  test('a mention of a heading on the same page has its text', () => {
    const { c } = layOut('[#far](#far-below "mention") [#no](#nosuch "mention")\n\n## Far *below*\n');
    expect(c[0]).toEqual({
      t: 'p',
      c: [
        { t: 'link', to: 'page#far-below', c: ['Far below'] },
        ' ',
        { t: 'link', to: 'page#nosuch', c: ['Page'] },
      ],
    });
  });

  test('a block of an integration is a link to its URL, its text as code, or a note', () => {
    const { c } = layOut(
      '{% @a/b url="https://x.y/z" %}\n\n{% @mermaid/diagram content="a\n  b" %}\n\n{% @a/b id="1" %}\n',
    );
    expect(c).toMatchObject([
      { t: 'reference', href: 'https://x.y/z' },
      { t: 'code', language: 'mermaid', text: 'a\n  b' },
      { t: 'note' },
    ]);
  });

  test('text that looks like typesetter commands is laid out as text, in every field', () => {
    const hostile = '#panic("x") $x$ @ref <label> \\ `a` #import "@preview/a:1.0.0": *';
    const document = {
      object: 'document',
      data: { schemaVersion: 8 },
      nodes: [paragraph(hostile)],
    } as Document;
    const [node] = layOut(document).c;
    expect(node).toEqual({ t: 'p', c: [hostile] });
    const code = layOut(`\`\`\`${'x"'}\n${hostile}\n\`\`\`\n`).c[0];
    expect(code).toMatchObject({ t: 'code', language: '', text: hostile });
  });

  test.for([
    ['list-unordered', 'list-item'],
    ['blockquote', undefined],
    ['hint', undefined],
  ] as const)(
    'a page with %s nested too deeply continues at one level, and keeps its text',
    ([type, item]) => {
      const { c } = layOut(nested(100, type, item));
      expect(depthOf(c)).toBeLessThan(60);
      expect(JSON.stringify(c)).toContain('deepest');
      if (item) expect(all(c, 't').filter((kind) => kind === 'note')).toHaveLength(1);
    },
  );

  test('alerts of GitHub and admonitions are laid out as hints', () => {
    expect(layOut('> [!CAUTION]\n> Some text.\n\n:::tip\nMore text.\n:::\n\n> A quote.\n').c).toEqual([
      { t: 'hint', style: 'danger', c: [{ t: 'p', c: ['Some text.'] }] },
      { t: 'hint', style: 'success', c: [{ t: 'p', c: ['More text.'] }] },
      { t: 'quote', c: [{ t: 'p', c: ['A quote.'] }] },
    ]);
  });

  test('links in a page lead into the book, outside of it, or nowhere', () => {
    const link = (ref: Target & object, kind: object): [string, Target] => [refKey(kind as never), ref];
    const { c } = layOut(
      '[a](/pages/other) [b](/pages/away) [c](javascript:alert(1)) [d](#here) [e](https://e.test)',
      [
        link({ page: 'other' }, { kind: 'page', page: 'other' }),
        link({ page: 'away', href: 'https://docs.test/away' }, { kind: 'page', page: 'away' }),
      ],
    );
    expect(all(c, 'to')).toEqual(['other', 'page#here']);
    expect(all(c, 'href')).toEqual(['https://docs.test/away', 'https://e.test/']);
    const places = new Map(['page', 'other'].map((place) => [place, place]));
    expect(all(withoutDeadLinks(layOut('[d](#here) [x](#gone)'), places).c, 'to')).toEqual(['page', 'page']);
    expect(all(withoutDeadLinks(layOut('[d](#here)'), new Map()).c, 'to')).toEqual([]);
  });

  test('links lead to headings by the anchors of other tools', () => {
    const document = documentOf(
      '[a](#Set-it-up%21) [b](#ustanovka) [c](#here) [d](#gone)\n\n## Set it up!\n\n## Установка\n\n## At the end <a href="#here" id="here"></a>\n',
    );
    const { chapter, aliases } = layOutChapter(PAGE, document, bookOf({ pages: new Set(['page']) }));
    const own = chapter.anchors.map((place): [string, string] => [place, place]);
    const places = new Map<string, string>([['page', 'page'], ...aliases, ...own]);
    expect(all(withoutDeadLinks(chapter, places).c, 'to')).toEqual([
      'page#set-it-up',
      'page#установка',
      'page#here',
      'page',
    ]);
  });

  test('URLs in running text are links, unless they are code', () => {
    const { c } = layOut(
      '## At https://a.test\n\nSee **https://b.test/x**. `https://c.test` <kbd>https://d.test</kbd> [at https://e.test](https://f.test)\n\n* https://g.test/\n',
    );
    expect(all(c, 'href')).toEqual(['https://b.test/x', 'https://f.test/', 'https://g.test/']);
    expect(c[1]).toMatchObject({
      c: [
        'See ',
        { t: 'link', href: 'https://b.test/x', c: [{ t: 'run', s: 'https://b.test/x', m: 'b' }] },
        '. ',
        {},
        ' ',
        {},
        ' ',
        {},
      ],
    });
  });

  test('a picture that is not available is replaced by a short text', () => {
    const { c, pictures } = layOut(
      '![A view](https://example.com/a.png)\n\nText ![inline](/files/gone) here.',
    );
    expect(pictures).toEqual([]);
    expect(c[0]).toMatchObject({
      t: 'reference',
      icon: 'picture',
      title: ['A view'],
      href: 'https://example.com/a.png',
    });
    expect(JSON.stringify(c[1])).toContain('[Picture: inline]');
  });

  test('what a PDF says besides its content is in the language of the content', () => {
    const source = [
      '[](/pages/gone "mention")',
      '{% content-ref url="/pages/gone" %}\n[Gone](/pages/gone)\n{% endcontent-ref %}',
      '{% file src="/files/gone" %}',
      '![](/files/gone)',
      'Text ![](/files/gone).',
      '{% updates format="full" %}\n{% update date="2026-03-04" tags="neu,api" %}\nText.\n{% endupdate %}\n{% endupdates %}',
      '<table><thead><tr><th data-type="number">N</th></tr></thead><tbody><tr><td>1234.5</td></tr></tbody></table>',
    ].join('\n\n');
    const textsFor = (language: string | null) => {
      const { c } = layOutChapter({ ...PAGE, title: '' }, documentOf(source), bookOf({ language })).chapter;
      return JSON.stringify(c);
    };
    const german = textsFor('de');
    for (const text of ['Seite', 'Datei', '[Bild]', '4. März 2026 · neu, api', '1.234,5'])
      expect(german).toContain(text);
    expect(german).not.toMatch(/Page|File|Picture/);
    expect(textsFor('ar')).toContain('صفحة');
    for (const text of ['Page', 'File', '[Picture]', 'March 4, 2026', '1,234.5'])
      expect(textsFor(null)).toContain(text);
    expect(layOutChapter({ ...PAGE, title: '' }, undefined, bookOf({ language: 'fr' })).chapter.name).toBe(
      'Sans titre',
    );
    const [note] = plainChapter(PAGE, undefined, bookOf({ language: 'ja' }), { withText: false }).c;
    expect(note).toEqual({ t: 'note', s: 'このページは組版できなかったため、省略しました。' });
  });

  test('every language of the interface of sites has the texts of PDFs', () => {
    const english = textsIn('en');
    for (const language of ['de', 'es', 'fr', 'ja', 'nl', 'no', 'pt-br', 'ru', 'zh']) {
      expect(textsIn(language)).not.toBe(english);
      expect(refLabelsIn(language)).not.toBe(refLabelsIn('en'));
    }
    expect(textsIn('sv')).toBe(english);
  });

  test('tables are laid out with all rows, or record by record if they are too wide', () => {
    const row = (count: number, text: string) =>
      `| ${Array.from({ length: count }, () => text).join(' | ')} |`;
    const table = (columns: number, rows: number) =>
      [
        row(columns, 'Head'),
        row(columns, '---'),
        ...Array.from({ length: rows }, () => row(columns, 'cell')),
      ].join('\n');
    const [long] = layOut(table(3, 1000)).c as [Extract<Node, { t: 'table' }>];
    expect(long.rows).toHaveLength(1000);
    expect(long.head).toHaveLength(3);
    expect(long.columns.every(({ width }) => width > 0)).toBe(true);
    const wide = layOut(table(30, 2)).c;
    expect(wide.every(({ t }) => t !== 'table')).toBe(true);
    expect(all(wide, 's').filter((text) => text === 'Head')).toHaveLength(60);
  });

  test('columns have their widths, and share what is left', () => {
    const column = (width: string) => `{% column${width} %}\nText.\n{% endcolumn %}\n`;
    const widths = (...given: string[]) => {
      const { c } = layOut(`{% columns %}\n${given.map(column).join('\n')}{% endcolumns %}\n`);
      return (c[0] as Extract<Node, { t: 'columns' }>).columns.map(({ width }) => width);
    };
    expect(widths(' width="33%"', '')).toEqual([33, 67]);
    expect(widths(' width="20%"', ' width="80%"')).toEqual([20, 80]);
    expect(widths('', '', '')).toEqual([33, 33, 33]);
    expect(widths(' width="60%"', ' width="60%"', '')).toEqual([60, 60, 10]);
  });

  test('paragraphs have the direction of their text', () => {
    const { c } = layOut('English\n\nשלום world\n\nمرحبا\n\n123');
    expect(c.map((node) => ('dir' in node ? node.dir : undefined))).toEqual([
      undefined,
      'rtl',
      'rtl',
      undefined,
    ]);
  });

  test('a page whose layout fails is laid out as plain text, and keeps its anchors', () => {
    const book = bookOf({ pages: new Set(['page']) });
    const document = documentOf('## Part\n\nThe text.');
    const plain = plainChapter(PAGE, document, book, { withText: true });
    expect(plain.c.map(({ t }) => t)).toEqual(['note', 'p', 'p']);
    expect(plain.anchors).toEqual(['page#part']);
    expect(plainChapter(PAGE, document, book, { withText: false }).c).toHaveLength(1);
  });
});
