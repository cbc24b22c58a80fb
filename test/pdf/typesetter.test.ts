import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodePDFRawStream, PDFDocument, type PDFRawStream } from '@cantoo/pdf-lib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Target } from '../../routers/engine/pdf/targets.ts';
import { makeFolder } from '../helpers/folders.ts';
import { documentOf, typeset } from './typesetting.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeFolder('pdf');
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

const SCRIPTS = 'Ελληνικά Кириллица العربية مع English שלום हिन्दी ภาษาไทย 中文 日本語 한국어 👩‍💻';

describe('a book', () => {
  test('a book has every kind of block, links that jump, bookmarks, title, language and marks for assistive technology', async () => {
    const blocks = `${SCRIPTS}\n\n## Part one\n\n* a\n  1. b\n     * [x] c\n\n> Quote\n\n{% hint style="danger" %}\nHint\n{% endhint %}

\`\`\`js
const x = "#panic()";
\`\`\`

| A | B |
| --- | --- |
| 1 | ${'long'.repeat(50)} |

$$
\\sum_{i=1}^n \\frac{a_i}{\\sqrt{b}} \\begin{cases} x & y \\\\ z & \\hat a \\end{cases}
$$

{% tabs %}
{% tab title="One" %}
Tab
{% endtab %}
{% endtabs %}

<details><summary>More</summary>

Inside

</details>

{% stepper %}
{% step %}
## Step
Do it.
{% endstep %}
{% endstepper %}

{% embed url="https://example.com/film" %}

Note[^1], $$x^2$$, [jump](#part-one), [out](https://example.com/).

[^1]: Foot.
`;
    const cover = { ...documentOf('Text'), nodes: documentOf('![Picture](/files/f)').nodes };
    await writeFile(join(folder, 'pixel'), Buffer.from(PIXEL, 'base64'));
    await writeFile(join(folder, 'broken'), 'no picture');
    const made = await typeset(
      folder,
      { Blocks: documentOf(blocks), Pictures: cover, Broken: documentOf('![Gone](/files/g)') },
      {
        targets: [
          ['{"file":"f","kind":"file"}', { file: 'pixel' }],
          ['{"file":"g","kind":"file"}', { file: 'broken' }],
        ],
        files: ['pixel', 'broken'],
      },
    );
    expect(made.notes).toEqual(['Broken: A picture (Gone) cannot be read.']);
    expect(made.standard).toBe('ua-1');
    expect(made.file).toMatchObject({
      title: 'Book #1 *not* <markup>',
      language: 'en',
      isTagged: true,
      outline: ['Blocks', 'Part one', 'Pictures', 'Broken'],
    });
    expect(made.file.links).toEqual(['https://example.com/film', 'https://example.com/']);
    // From the table of contents, between the footnote and its reference, and the internal link.
    expect(made.file.jumps).toBeGreaterThanOrEqual(5);
  });

  test('numbered lines of code are as close to each other as others', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
    const code = (numbers: boolean) =>
      documentOf(`{% code lineNumbers="${numbers}" %}\n\`\`\`\n${lines}\n\`\`\`\n{% endcode %}`);
    const numbered = await typeset(folder, { Code: code(true) }, { isSingle: true });
    const plain = await typeset(folder, { Code: code(false) }, { isSingle: true });
    expect([numbered.file.pages, plain.file.pages]).toEqual([1, 1]);
  });

  test('a formula that is too wide for the page is made smaller', async () => {
    const terms = Array.from({ length: 60 }, (_, index) => `x_{${index}}`);
    const { path } = await typeset(
      folder,
      { Formula: documentOf(`$$\n${terms.join('+')}\n$$`) },
      { isSingle: true },
    );
    const page = (await PDFDocument.load(await readFile(path))).getPage(0);
    const operators = Buffer.from(decodePDFRawStream(page.node.Contents() as PDFRawStream).decode());
    const places = [...operators.toString('latin1').matchAll(/^\S+ 0 0 \S+ (\S+) \S+ cm$/gm)];
    expect(places.length).toBeGreaterThan(100);
    // An A4 page is 595 points wide, with margins of 65 points.
    for (const [, x] of places) expect(Number(x)).toBeGreaterThan(65);
    for (const [, x] of places) expect(Number(x)).toBeLessThan(530);
  });

  test('page numbers in a table of contents are at the end of the line, whatever the direction of a title', async () => {
    const placesIn = async (language: string) => {
      const { path } = await typeset(
        folder,
        { One: documentOf('Text.'), دليل: documentOf('Text.') },
        { language, texts: { contents: '' } },
      );
      const page = (await PDFDocument.load(await readFile(path))).getPage(1);
      const operators = Buffer.from(decodePDFRawStream(page.node.Contents() as PDFRawStream).decode());
      const text = operators.toString('latin1').replace(/\/Artifact BMC[\s\S]*?EMC/g, '');
      return [...text.matchAll(/^\S+ 0 0 \S+ (\S+) \S+ cm$/gm)].map(([, x]) => Number(x));
    };
    // A title and a number each.
    for (const [language, sign] of [
      ['ar', -1],
      ['de', 1],
    ] as const) {
      const [one, first, other, second] = (await placesIn(language)) as [number, number, number, number];
      expect((first - one) * sign).toBeGreaterThan(300);
      expect((second - other) * sign).toBeGreaterThan(300);
    }
  });

  test('a book that is merged from parts has a table of contents, bookmarks, page numbers and links between them', async () => {
    const one = { chapters: 1, size: 1 };
    const made = await typeset(
      folder,
      {
        One: documentOf(
          '[To a heading](/pages/p2#part), [to a page](/pages/p1), [out](https://example.com/).',
        ),
        Two: documentOf('[Back](/pages/p0), [to nothing](/pages/p1#gone).'),
        Three: documentOf('Text.\n\n## Part\n\nText.'),
      },
      {
        part: one,
        language: 'de',
        texts: { contents: 'Inhalt' },
        targets: [
          ['{"anchor":"part","kind":"anchor","page":"p2"}', { page: 'p2', anchor: 'part' }],
          ['{"kind":"page","page":"p1"}', { page: 'p1' }],
          ['{"kind":"page","page":"p0"}', { page: 'p0' }],
          ['{"anchor":"gone","kind":"anchor","page":"p1"}', { page: 'p1', anchor: 'gone' }],
        ],
      },
    );
    expect(made).toMatchObject({ pages: 5, notes: [], standard: 'ua-1' });
    expect(made.file).toMatchObject({
      pages: 5,
      title: 'Book #1 *not* <markup>',
      language: 'de',
      isTagged: true,
      outline: ['One', 'Two', 'Three', 'Part'],
      links: ['https://example.com/'],
      // From the table of contents, and from one part to another.
      destinations: [2, 3, 4, 4, 3, 2, 3],
      labels: { 0: '/r', 2: '/D' },
    });
  });

  test('a book can have text that looks like typesetter commands in every place, and pictures of any kind', async () => {
    const command = '#panic("out") $x$ ]#[*_<a>@b\\u{0}';
    const escaped = command.replace(/[\\`*_{}[\]<>()#+.!|$~-]/g, '\\$&');
    const bomb = (inside: string, size = 100) =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${size}" height="${size}">${inside}</svg>`;
    const entities = [...'bcdefghij'].map(
      (name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`,
    );
    const pictures = {
      broken: 'no picture',
      cut: Buffer.from(PIXEL, 'base64').subarray(0, 40),
      empty: '',
      entities: `<!DOCTYPE svg [<!ENTITY a "xxxxxxxxxx">${entities.join('')}]>${bomb('<text>&j;</text>')}`,
      deep: bomb('<g>'.repeat(5000) + '</g>'.repeat(5000)),
      huge: bomb('<rect width="1" height="1"/>', 1e9),
      outside: bomb('<image width="9" height="9" xlink:href="file:///etc/passwd"/>'),
    };
    for (const [name, bytes] of Object.entries(pictures)) await writeFile(join(folder, name), bytes);
    const names = Object.keys(pictures);
    const list = Array.from({ length: 100 }, (_, level) => `${'  '.repeat(level)}* ${escaped}`).join('\n');
    const hostile = `# ${escaped}

[${escaped}](javascript:alert) [ok](https://example.com/#panic) ${escaped} \ud800 \u0000

\`\`\`typst
${command}
\`\`\`

$$
${command}
$$

| ${escaped} | b |
| --- | --- |
| ${escaped} | $$${command}$$ |

{% tabs %}
{% tab title="#panic() *x*" %}
${escaped}
{% endtab %}
{% endtabs %}

{% openapi-operation spec="s" path="/#panic()" method="get" %}
x
{% endopenapi-operation %}

${list}
`;
    await writeFile(
      join(folder, 'spec'),
      JSON.stringify({
        paths: {
          '/#panic()': {
            get: {
              summary: command,
              description: `${escaped} [x](javascript:alert)`,
              parameters: [{ name: command, in: 'query', description: escaped, schema: { enum: [command] } }],
              responses: { [command]: { description: escaped } },
            },
          },
        },
      }),
    );
    const made = await typeset(
      folder,
      {
        [command]: documentOf(hostile),
        Pictures: documentOf(names.map((name) => `![${escaped}](/files/${name})`).join('\n\n')),
      },
      {
        title: command,
        subtitle: command,
        author: command,
        description: command,
        targets: [
          ...names.map((name): [string, Target] => [`{"file":"${name}","kind":"file"}`, { file: name }]),
          ['{"kind":"openapi","spec":"s"}', { spec: 'spec', title: command }],
        ],
        files: [...names, 'spec'],
      },
    );
    expect(made.notes.every((note) => note.startsWith('Pictures: A picture'))).toBe(true);
    expect(made.notes.length).toBeGreaterThanOrEqual(4);
    expect(made.file.title).toBe(command);
    expect(made.file.outline[0]).toBe(command);
    expect(made.file.links).toEqual(['https://example.com/#panic']);
  });

  test('pages are typeset with their layout, whatever formulas they have', async () => {
    const formulas = [
      '\\begin{aligned} x &= 1 \\\\ y &= 2 \\end{aligned}',
      '\\begin{align} x &= 1 & a &= b \\\\ y &= 2 \\end{align}',
      '\\begin{split} x &= \\frac{1}{2} \\end{split}',
      '\\begin{equation} \\begin{split} x &= 1 \\\\ &= 2 \\end{split} \\end{equation}',
      '\\begin{array}{r|l} x & 1 \\\\ y & 2 \\end{array}',
      '\\left\\{ \\begin{aligned} x &= 1 \\end{aligned} \\right.',
      '\\begin{aligned} \\end{aligned}',
      '\\frac{}{b} + \\sqrt{} + \\overline{} + \\hat{}',
    ];
    const text = (formula: string) => `A sentence with $$${formula}$$ in it.\n\n$$\n${formula}\n$$\n`;
    // One book, since each starts several processes. A page that cannot be typeset is named in a note.
    const made = await typeset(
      folder,
      Object.fromEntries(formulas.map((formula) => [formula, documentOf(text(formula))])),
    );
    // The cover, the table of contents, and a page for each.
    expect(made).toMatchObject({ notes: [], pages: 2 + formulas.length, standard: 'ua-1' });
  });
});
