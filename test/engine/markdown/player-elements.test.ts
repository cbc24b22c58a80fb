import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';

/** The published blocks of Markdown, which has to come out as it went in. */
function shown(markdown: string) {
  expectExact(markdown);
  const document = published<Document>(parseMarkdown(markdown));
  expect(violationsOf(document)).toEqual([]);
  return document.nodes;
}

const URL = 'https://example.com/a.mp4';
const EMBED = { type: 'embed', data: { url: URL } };

describe('a video or a sound is what it plays', () => {
  test.for([
    `<video src="${URL}"></video>`,
    `<audio controls src='${URL}'></audio>`,
    `<video width="300" controls src="${URL}">No video.</video>`,
    `<video controls><source src="${URL}" type="video/mp4">No video.</video>`,
    `<video controls>\n  <source src="${URL}" type="video/mp4">\n  <source src="b.webm">\n  Your browser shows no video.\n</video>`,
    `<video\n  src="${URL}">\n</video>`,
    `<div align="center">\n  <video src="${URL}"></video>\n</div>`,
  ])('%s', (html) => {
    expect(shown(`${html}\n`)).toMatchObject([EMBED]);
    expect(shown(`# Title\n${html}\n\none\n`)).toMatchObject([{}, EMBED, { type: 'paragraph' }]);
    expect(editExported(`${html}\n\none\n`, '"one"', '"two"')).toBe(`${html}\n\ntwo\n`);
  });

  test('a file of the space is a file', () => {
    const resolve = (href: string) => (href === 'a.mp4' ? ({ kind: 'file', file: 'f' } as const) : undefined);
    for (const html of ['<video src="a.mp4"></video>', '<video><source src="a.mp4">No video.</video>']) {
      const document = parseMarkdown(`${html}\n`, { resolve });
      expect(published(document).nodes).toMatchObject([{ type: 'file', data: { ref: { file: 'f' } } }]);
      expect(serializeMarkdown(document, { hrefOf: () => 'b.mp4' })).toBe(
        `${html.replace('a.mp4', 'b.mp4')}\n`,
      );
    }
  });

  test('with other HTML around it, also in an item', () => {
    expect(shown(`<div>\n<p>a</p>\n<video src="${URL}"></video>\n<p>b</p>\n</div>\n`)).toMatchObject([
      { type: 'paragraph' },
      EMBED,
      { type: 'paragraph' },
    ]);
    expect(shown(`* <video src="${URL}"></video>\n`)).toMatchObject([{ nodes: [{ nodes: [EMBED] }] }]);
  });
});

test('among text and in cells, there is a link to it', () => {
  const link = { type: 'link', data: { ref: { kind: 'url', url: 'a/b.mp4' } } };
  const html = '<video src="a/b.mp4"></video>';
  expect(shown(`a ${html} b\n`)).toMatchObject([{ nodes: [{}, link, {}, {}] }]);
  expect(JSON.stringify(shown(`| A |\n| - |\n| ${html} |\n`))).toContain('"text":"b.mp4"');
  const table = `<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>${html}</td></tr></tbody></table>\n`;
  expect(JSON.stringify(shown(table))).toContain('"text":"b.mp4"');
  expect(shown(`- [ ] ${html}\n`)).toMatchObject([{ nodes: [{ nodes: [{ nodes: [link, {}] }] }] }]);
});

test('one that plays nothing is not shown', () => {
  expect(shown('<video controls></video>\n')).toMatchObject([{ type: 'markdown' }]);
  expect(shown('<p>a</p>\n<video controls></video>\n')).toMatchObject([{ type: 'paragraph' }]);
});
