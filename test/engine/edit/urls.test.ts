import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { runsScript } from '../../../routers/engine/document/safe-href.ts';
import { applyBatch } from '../../../routers/engine/edit/apply-batch.ts';
import { countInsertions } from '../../../routers/engine/edit/batch.ts';
import type { EditChange } from '../../../routers/engine/edit/changes.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { putDocument } from '../../../routers/engine/store/documents.ts';
import { newId } from '../../../schema/ids.ts';
import { commit, createMemoryStore, type MemoryStore } from '../store/memory-store.ts';
import { edit, emptyRoot, put } from '../store/spaces.ts';

const apply = (store: MemoryStore, root: string, ...changes: EditChange[]) =>
  commit(store, async (buffer) => {
    const ids = Array.from({ length: countInsertions(changes) }, newId);
    const none = { files: new Map(), reverts: new Map(), resolutions: new Map() };
    return (await applyBatch(buffer, root, { ...none, changes, ids, now: '2026-02-02T00:00:00.000Z' })).root;
  });

const SCRIPTS = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' \u0001javascript:alert(1)',
  'java\nscript\t:alert(1)',
  'javascript://[/%0aalert(1)',
  'vbscript:MsgBox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:,a',
];
const HARMLESS = [
  ...[
    'https://example.com/',
    'mailto:a@example.com',
    'tel:+1',
    'slack://open',
    'custom.app+x:a',
    '//example.com',
  ],
  ...['page.md', '/javascript:a', '?data:a', '#javascript:a', 'java script:a', 'data', ''],
  'data:image/png;base64,AA==',
];

test.each(SCRIPTS)('the URL %j runs a script', (url) => expect(runsScript(url)).toBe(true));
test.each(HARMLESS)('the URL %j runs no script', (url) => expect(runsScript(url)).toBe(false));

const URL = 'javascript:alert(1)';
const ref = { kind: 'url', url: URL } as const;
const documentOf = (block: object): { document: Document } => ({
  document: { object: 'document', data: { schemaVersion: 1 }, nodes: [block] } as Document,
});
const inParagraph = (inline: object) =>
  documentOf({ object: 'block', type: 'paragraph', nodes: [{ object: 'inline', ...inline }] });
const voidBlock = (type: string, data: object) => documentOf({ object: 'block', type, isVoid: true, data });

describe('no edit adds a URL that runs a script', () => {
  test.each<[string, { markdown: string } | { document: Document }]>([
    ['a link', { markdown: `[a](${URL})` }],
    ['a reference', { markdown: `[a]\n\n[a]: ${URL}` }],
    ['an autolink', { markdown: `<${URL}>` }],
    ['an entity', { markdown: '[a](java&#9;script&colon;alert%281%29)' }],
    ['an element', { markdown: `a <a href="${URL}">b</a>` }],
    ['HTML', { markdown: `<div>\n<p><a href="${URL}">a</a></p>\n</div>` }],
    ['an image', { markdown: `![](${URL})` }],
    ['a button', { markdown: `<a href="${URL}" class="button primary">a</a>` }],
    ['an embed', { markdown: `{% embed url="${URL}" %}` }],
    ['a card', { markdown: `{% content-ref url="${URL}" %}\na\n{% endcontent-ref %}` }],
    ['an integration', { markdown: `{% @figma/embed url="${URL}" %}` }],
    ['a player', { markdown: `<video src="${URL}"></video>` }],
    [
      'a table',
      {
        markdown: `<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>a</td><td><a href="${URL}">b</a></td></tr></tbody></table>`,
      },
    ],
    ['HTML in a document', voidBlock('markdown', { markdown: `<p class="x"><a href="${URL}">a</a></p>` })],
    ['a link in a document', inParagraph({ type: 'link', data: { ref }, nodes: [] })],
    ['a mention in a document', inParagraph({ type: 'mention', isVoid: true, data: { ref } })],
    ['an embed in a document', voidBlock('embed', { url: URL })],
    [
      'an integration in a document',
      voidBlock('integration', { integration: 'a', block: 'b', props: { url: URL } }),
    ],
  ])('in %s', async (_name, document) => {
    const store = createMemoryStore();
    const root = await edit(store, [put('a')]);
    const inserted = apply(store, root, { operation: 'insert_page', title: 'A', type: 'document', document });
    await expect(inserted).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: 'changes.0.document', message: expect.stringContaining('script') }],
    });
    const updated = apply(store, root, { operation: 'update_page', page: 'a', document });
    await expect(updated).rejects.toMatchObject({ details: [{ path: 'changes.0.document' }] });
  });

  test.each<[string, Partial<EditChange>]>([
    ['target', { type: 'link', target: ref } as Partial<EditChange>],
    ['cover.ref', { type: 'document', cover: { ref, yPos: 0 } } as Partial<EditChange>],
    ['cover.refDark', { type: 'document', cover: { refDark: ref, yPos: 0 } } as Partial<EditChange>],
  ])('in the field %s of a page', async (path, fields) => {
    const store = createMemoryStore();
    const root = await emptyRoot(store);
    const change = { operation: 'insert_page', title: 'A', ...fields } as EditChange;
    await expect(apply(store, root, change)).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: `changes.0.${path}`, message: expect.stringContaining('script') }],
    });
  });
});

test('content that already has a URL that runs a script is accepted as it was read, but with no other one', async () => {
  const store = createMemoryStore();
  const document = await commit(store, async (buffer) => putDocument(buffer, parseMarkdown(`[a](${URL})`)));
  const link = { type: 'link', target: ref } as const;
  const root = await edit(store, [put('a', null, { document }), put('l', null, link)]);
  const update = (markdown: string): EditChange => ({
    operation: 'update_page',
    page: 'a',
    document: { markdown },
  });
  await apply(store, root, update(`[b](${URL})`), {
    operation: 'update_page',
    page: 'l',
    title: 'L',
    target: ref,
  });
  await expect(apply(store, root, update(`[a](${URL}) [b](javascript:b)`))).rejects.toThrow('javascript:b');
  const other = { kind: 'url', url: 'javascript:b' } as const;
  const changed = apply(store, root, { operation: 'update_page', page: 'l', target: other });
  await expect(changed).rejects.toThrow('javascript:b');
});
