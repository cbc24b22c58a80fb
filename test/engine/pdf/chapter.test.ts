import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { refLabelsIn } from '../../../routers/engine/document/ref-labels.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import {
  type BookLayout,
  layOutChapter,
  plainChapter,
  withoutDeadLinks,
} from '../../../routers/engine/pdf/chapter.ts';
import { textsIn } from '../../../routers/engine/pdf/languages/index.ts';
import type { Chapter, Node } from '../../../routers/engine/pdf/nodes.ts';
import { refKey, type Target } from '../../../routers/engine/pdf/targets.ts';
import { en } from '../../../server/pages/languages/en.ts';

const PAGE = { id: 'page', depth: 0, title: 'Title', type: 'document' } as const;

const documentOf = (markdown: string): Document => published(parseMarkdown(markdown));

const bookOf = (more: Partial<BookLayout>): BookLayout => ({
  targets: new Map(),
  pages: new Set(),
  direction: 'ltr',
  language: null,
  specOf: () => undefined,
  texts: en,
  ...more,
});

function layOut(source: string | Document, targets: [string, Target][] = []): Chapter {
  const document = typeof source === 'string' ? documentOf(source) : source;
  const pages = new Set(['page', 'other']);
  return layOutChapter(PAGE, document, bookOf({ targets: new Map(targets), pages }));
}

/** All values of a field in nodes. */
function all(value: unknown, field: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => [
    ...(name === field ? [entry] : []),
    ...all(entry, field),
  ]);
}

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
    const places = new Set(['page', 'other']);
    expect(all(withoutDeadLinks(layOut('[d](#here) [x](#gone)'), places).c, 'to')).toEqual(['page', 'page']);
    expect(all(withoutDeadLinks(layOut('[d](#here)'), new Set()).c, 'to')).toEqual([]);
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
      const { c } = layOutChapter({ ...PAGE, title: '' }, documentOf(source), bookOf({ language }));
      return JSON.stringify(c);
    };
    const german = textsFor('de');
    for (const text of ['Seite', 'Datei', '[Bild]', '4. März 2026 · neu, api', '1.234,5'])
      expect(german).toContain(text);
    expect(german).not.toMatch(/Page|File|Picture/);
    expect(textsFor('ar')).toContain('صفحة');
    for (const text of ['Page', 'File', '[Picture]', 'March 4, 2026', '1,234.5'])
      expect(textsFor(null)).toContain(text);
    expect(layOutChapter({ ...PAGE, title: '' }, undefined, bookOf({ language: 'fr' })).name).toBe(
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

  describe('an operation of an API', () => {
    const operation = (spec: object, path = '/pets/{id}') => {
      const document = documentOf(
        `{% openapi-operation spec="pets" path="${path}" method="put" %}\nx\n{% endopenapi-operation %}`,
      );
      const targets = new Map([[refKey({ kind: 'openapi', spec: 'pets' }), { spec: 'hash', title: 'pets' }]]);
      const book = bookOf({ targets, specOf: (hash) => (hash === 'hash' ? { ...spec } : undefined) });
      return layOutChapter(PAGE, document, book).c;
    };
    const Pet = {
      required: ['name'],
      properties: {
        name: { type: 'string', description: 'What it is **called**.' },
        tags: { type: 'array', items: { properties: { label: { enum: ['a', 'b'], default: 'a' } } } },
      },
    };
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } };
    const put = {
      summary: 'Replace a pet',
      parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' }, deprecated: true }],
      requestBody: { content },
      responses: {
        200: { description: 'The pet.', content, headers: { 'X-Rate-Limit': {}, 'Content-Type': {} } },
        404: { description: 'None.' },
      },
    };
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const spec = { paths: { '/pets/{id}': { parameters, put } }, components: { schemas: { Pet } } };

    test('an operation of an API is laid out with its parameters, body and responses', () => {
      const nodes = operation(spec);
      const texts = all(nodes, 's');
      expect(nodes.map(({ t }) => t)).toEqual([
        'operation',
        ...'p p table p table p table p table p table'.split(' '),
      ]);
      expect(texts).toEqual(
        expect.arrayContaining([
          'Replace a pet',
          'id',
          'dry',
          'name',
          'called',
          'tags',
          'tags[].label',
          'a',
          'b',
          '200',
          '404',
          'X-Rate-Limit',
        ]),
      );
      expect(texts).not.toContain('Content-Type');
      expect(texts.filter((text) => text === 'required')).toHaveLength(3);
      expect(texts.filter((text) => text === 'deprecated')).toHaveLength(1);
    });

    test('the constraints of parameters and properties are laid out', () => {
      const schema = { type: 'integer', minimum: 1, exclusiveMaximum: 100, multipleOf: 5 };
      const tags = { type: 'array', maxItems: 9, items: { type: 'string', pattern: '^[a-z]+$' } };
      const content = { 'application/json': { schema: { minProperties: 1, properties: { tags } } } };
      const put = { parameters: [{ name: 'limit', in: 'query', schema }], requestBody: { content } };
      const paragraphs = all(operation({ paths: { '/pets/{id}': { put } } }), 'c').map((inlines) =>
        [inlines].flat().map((one) => (typeof one === 'string' ? one : (one as { s?: string }).s)),
      );
      for (const text of [
        'Range: ≥ 1, < 100; Multiple of: 5',
        'Number of properties: ≥ 1',
        'Number of items: ≤ 9',
        'Pattern: ^[a-z]+$',
      ])
        expect(paragraphs.map((texts) => texts.join(''))).toContain(text);
    });

    test('the media types of a body and the callbacks of an operation are laid out', () => {
      const text = { 'text/plain': { schema: { type: 'string', maxLength: 9 } } };
      const post = { summary: 'Tell of a pet', requestBody: { content: text } };
      const put = {
        requestBody: { content: { ...content, 'application/xml': content['application/json'], ...text } },
        callbacks: { replaced: { '{$request.body#/url}': { post } } },
      };
      const nodes = operation({ ...spec, paths: { '/pets/{id}': { put } } });
      expect(all(nodes, 'c').flat()).toEqual(
        expect.arrayContaining([' application/json, application/xml', ' text/plain', ' POST ']),
      );
      expect(all(nodes, 's')).toEqual(
        expect.arrayContaining(['Callbacks', 'replaced', '{$request.body#/url}', 'Tell of a pet']),
      );
    });

    test('an operation of OpenAPI 2 is laid out with its body, form and responses', () => {
      const schema = { $ref: '#/definitions/Pet' };
      const response = { description: 'The pet.', schema };
      const [body, form] = [
        { name: 'pet', in: 'body', schema },
        { name: 'photo', in: 'formData', type: 'file' },
      ].map((parameter) => {
        const put = { parameters: [parameter], responses: { 200: response } };
        return operation({ swagger: '2.0', definitions: { Pet }, paths: { '/pets/{id}': { put } } });
      });
      expect(body?.map(({ t }) => t)).toEqual(['operation', ...'p table p table p table'.split(' ')]);
      expect(all(body ?? [], 's').filter((text) => text === 'tags[].label')).toHaveLength(2);
      expect(all(form ?? [], 's')).toEqual(expect.arrayContaining(['Body', 'photo']));
    });

    test('only the method and path of an operation are laid out if the OpenAPI document is not available, or lacks it', () => {
      for (const nodes of [operation(spec, '/other'), operation({}), operation({ paths: [null] })])
        expect(nodes.map(({ t }) => t)).toEqual(['operation']);
    });

    test('the layout of an operation with recursive schemas is finite', () => {
      const self = { $ref: '#/components/schemas/Self' };
      const Self = {
        allOf: Array.from({ length: 20 }, () => self),
        properties: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, self])),
      };
      const nodes = operation({ ...spec, components: { schemas: { Pet: self, Self } } });
      expect(all(nodes, 'rows').flat().length).toBeLessThan(1000);
    });
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
