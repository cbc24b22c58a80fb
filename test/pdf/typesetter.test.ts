import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Document } from '../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { FILES, type Source } from '../../server/pdf/files.ts';
import { typesetBook } from '../../server/pdf/typesetter.ts';
import { readPdfFile } from './outline.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pdf-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const documentOf = (markdown: string): Document => published(parseMarkdown(markdown));
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Sets pages, given as their documents by title. */
async function set(
  documents: Record<string, Document>,
  {
    limits,
    template,
    ...more
  }: Partial<Source> & Pick<Parameters<typeof typesetBook>[1], 'limits' | 'template'> = {},
) {
  const pages = await Promise.all(
    Object.entries(documents).map(async ([title, document], index) => {
      await writeFile(join(folder, `d-${index}`), JSON.stringify(document));
      return { id: `p${index}`, depth: 0, title, type: 'document' as const, file: `d-${index}` };
    }),
  );
  const source: Source = {
    title: 'Book #1 *not* <markup>',
    subtitle: '',
    author: '#panic()',
    description: '',
    date: '1 January 2026',
    time: 0,
    language: null,
    accent: '#346ddb',
    words: { contents: 'Contents' },
    isSingle: false,
    pages,
    targets: [],
    pictures: {},
    ...more,
  };
  await writeFile(join(folder, FILES.source), JSON.stringify(source));
  const options = { signal: new AbortController().signal, onProgress: () => undefined };
  const made = await typesetBook(folder, {
    ...options,
    ...(limits && { limits }),
    ...(template && { template }),
  });
  return { ...made, file: await readPdfFile(await readFile(made.path)) };
}

const SCRIPTS = 'Ελληνικά Кириллица العربية مع English שלום हिन्दी ภาษาไทย 中文 日本語 한국어 👩‍💻';

describe('a book', () => {
  test('has every kind of block, links that jump, bookmarks, title, language and marks for assistive technology', async () => {
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
    const made = await set(
      { Blocks: documentOf(blocks), Pictures: cover, Broken: documentOf('![Gone](/files/g)') },
      {
        targets: [
          ['{"file":"f","kind":"file"}', { file: 'pixel' }],
          ['{"file":"g","kind":"file"}', { file: 'broken' }],
        ],
        pictures: { pixel: 'pixel', broken: 'broken' },
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
    // From the contents, between the note and its place, and the jump.
    expect(made.file.jumps).toBeGreaterThanOrEqual(5);
  });

  test('of which a page cannot be set has the others, and says so', async () => {
    // Takes no lines between blocks, and nothing at all of some pages.
    const template = pathToFileURL(join(folder, 'picky.typ'));
    const look = await readFile(new URL('../../server/pdf/template.typ', import.meta.url), 'utf8');
    const refusal = `#for file in book.sheets.flatten() {
      let chapter = json(file)
      assert(chapter.name != "Worst" or chapter.c.all(node => node.t == "note"), message: "no text")
      assert(not chapter.c.any(node => node.t == "divider"), message: "no lines")
    }`;
    await writeFile(template, `${look}\n${refusal}`);
    const made = await set(
      {
        Good: documentOf('Text.'),
        Bad: documentOf('Text.\n\n***\n'),
        Worst: documentOf('Text.'),
        Last: documentOf('Text.'),
      },
      { template },
    );
    expect(made.file.outline).toEqual(['Good', 'Bad', 'Worst', 'Last']);
    expect(made.notes.map((note) => note.replace(/ \(.*/s, ''))).toEqual([
      'Bad: set as plain text',
      'Worst: set as plain text',
      'Worst: left out',
    ]);
  });

  test('that takes too long is given up', async () => {
    const limits = { memory: 1e9, time: 1 };
    await expect(set({ Page: documentOf('Text.') }, { limits })).rejects.toThrow('takes too long');
  });
});
