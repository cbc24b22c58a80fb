/** Large content is processed in workers, with the same results as in the service. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { withTitle } from '../../routers/engine/edit/titled-markdown.ts';
import { normalizeDocument } from '../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { putDocument } from '../../routers/engine/store/documents.ts';
import { createObjectBuffer } from '../../routers/engine/store/objects.ts';
import type { Pool } from '../../server/engine/pool.ts';
import { docsSection } from '../bench/docs-text.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

vi.setConfig({ testTimeout: 180_000 });

let service: TestService;
let space: EditedSpace;
let pool: Pool;
let done: string[] = [];
beforeAll(async () => {
  service = await startTestService();
  pool = service.runtime.pool as Pool;
  pool.observe({ ended: (task, outcome) => done.push(`${task} ${outcome}`) });
  space = await editedSpace(service, { Page: 'Text.\n' });
});
beforeEach(() => {
  done = [];
});
afterAll(() => service.close());

/** More than is processed in the service itself. */
const LENGTH = process.env.LONG === '1' ? 900_000 : 200_000;

const repeat = (part: (index: number) => string, length = LENGTH) => {
  let text = '';
  for (let index = 0; text.length < length; index++) text += part(index);
  return text;
};
const TEXTS = {
  documentation: repeat((index) => docsSection(1, index)).slice(0, LENGTH),
  'a table of many rows': `| a | b | c |\n| - | - | - |\n${repeat((i) => `| cell ${i} | **${i}** | x |\n`, 150_000)}`,
  'small list items': repeat((index) => `* item ${index}\n`, 150_000),
};

/** Polls the health of the service while a task runs; returns the result and the number of responses. */
async function beside<Result>(work: Promise<Result>): Promise<{ result: Result; answered: number }> {
  let ended = false;
  let answered = 0;
  const asking = (async () => {
    while (!ended) {
      const { statusCode } = await service.app.inject({ url: '/healthz' });
      if (statusCode === 200) answered += 1;
      await sleep(1);
    }
  })();
  const result = await work.finally(() => {
    ended = true;
  });
  await asking;
  return { result, answered };
}

/** More responses than a process busy with a megabyte would have time for. */
const SEVERAL = 20;

describe.each(Object.entries(TEXTS))('%s', (title, markdown) => {
  const expected = parseMarkdown(markdown);
  const buffer = createObjectBuffer({ read: async () => new Map() });
  const hash = putDocument(buffer, expected);
  let page: string;

  test('large content is accepted as Markdown while other requests are served, and results in the same document', async () => {
    const change = { operation: 'insert_page', title, document: { markdown } };
    const { result, answered } = await beside(
      space.editor.post(`${space.content}?compat=false`, { changes: [change] }),
    );
    expect(result.status, JSON.stringify(result.body)).toBe(200);
    page = result.body.changes.pages[0].id;
    expect(result.body.changes.pages[0].page.documentId).toBe(hash);
    expect(done.slice(-2)).toEqual(['edit done', 'facts done']);
    expect(answered).toBeGreaterThan(SEVERAL);
  });

  test('large content is accepted as a document', async () => {
    const document = published(expected);
    const change = { operation: 'insert_page', title: 'Again', document: { document } };
    const answer = await space.editor.post(`${space.content}?compat=false`, { changes: [change] });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.changes.pages[0].page.documentId).toBe(
      putDocument(buffer, normalizeDocument(document)),
    );
    expect(done).toContain('edit done');
  });

  test('large content can be read as Markdown, as a document and evaluated', async () => {
    const path = `${space.content}/page/${page}`;
    const { result, answered } = await beside(space.editor.get(path));
    expect(result.body).toMatchObject({ id: page, markdown: withTitle(title, serializeMarkdown(expected)) });
    expect(answered).toBeGreaterThan(0);
    const whole = await space.editor.get(`${path}?format=document`);
    expect(whole.body).toMatchObject({ id: page, title });
    expect(whole.body.document).toEqual(published(expected));
    const alone = await space.editor.get(`/spaces/${space.id}/documents/${hash}`);
    expect(alone.body).toEqual(whole.body.document);
    const evaluated = await space.editor.get(`${path}?evaluated=true`);
    expect(evaluated.body.markdown).toBe(result.body.markdown);
    expect(done).toEqual(['markdown done', 'document done', 'document done', 'markdown done']);
  });

  test('large content is merged', async () => {
    const { path } = await space.changeRequest();
    const rewrite = (at: string, text: string) =>
      space.admin.post(`${at}/content`, {
        changes: [{ operation: 'update_page', page, document: { markdown: text } }],
      });
    await rewrite(path, `Theirs.\n\n${markdown}`);
    await rewrite(`/spaces/${space.id}`, `${markdown}\n\nOurs.\n`);
    done = [];
    const { result, answered } = await beside(space.admin.post(`${path}/merge`));
    expect(result.body).toMatchObject({ result: 'merge' });
    expect(done).toEqual(['merge done', 'facts done']);
    expect(answered).toBeGreaterThan(SEVERAL);
    const { body } = await space.admin.get(`${space.content}/page/${page}`);
    expect(body.markdown).toMatch(/^# .*\n\nTheirs\.\n|^Theirs\.\n/);
    expect(body.markdown.trimEnd()).toMatch(/Ours\.$/);
  });
});

test('small content is processed in the service itself', async () => {
  const page = space.pages.Page as string;
  const change = { operation: 'update_page', page, document: { markdown: 'More.\n' } };
  expect((await space.admin.post(space.content, { changes: [change] })).status).toBe(200);
  expect((await space.admin.get(`${space.content}/page/${page}`)).status).toBe(200);
  expect(done).toEqual([]);
});

test('an edit that fails in a worker gets the same error as in the service', async () => {
  const changes = [
    { operation: 'update_page', page: space.pages.Page, document: { markdown: TEXTS.documentation } },
    { operation: 'insert_page', title: 'Below nothing', into: 'nothing' },
  ];
  const refused = await space.admin.post(space.content, { changes });
  expect(done.at(-1)).toBe('edit refused');
  const small = [{ ...changes[0], document: { markdown: 'Small.\n' } }, changes[1]];
  expect(refused).toMatchObject({
    status: 404,
    body: (await space.admin.post(space.content, { changes: small })).body,
  });
});

test('an invalid large body gets the same error as a small one', async () => {
  const refusal = async (document: object, filling: number) => {
    const nodes = [{ object: 'block', type: 'paragraph', nodes: [{ object: 'text', leaves: [] }] }];
    const filled = { object: 'document', data: { schemaVersion: 2 }, nodes, ...document };
    const first = { operation: 'insert_page', title: 'x', document: { markdown: 'x'.repeat(filling) } };
    const changes = [first, { operation: 'insert_page', title: 'y', document: { document: filled } }];
    return space.admin.post(space.content, { changes });
  };
  const text = (leaf: string) => [{ object: 'text', leaves: [{ object: 'leaf', text: leaf, marks: [] }] }];
  for (const document of [
    { object: 'other' },
    { nodes: [{ object: 'block', type: 'paragraph', nodes: text('a'), isVoid: 'no' }] },
    { nodes: [{ object: 'block', type: 'paragraph', nodes: text('\0') }] },
    { nodes: 5 },
  ]) {
    const [small, large] = [await refusal(document, 1), await refusal(document, 600_000)];
    expect(small.status).toBe(400);
    expect(large.body).toEqual(small.body);
  }
  expect(done.every((task) => task.startsWith('body'))).toBe(true);
  const send = (payload: string | Buffer) =>
    service.app.inject({
      method: 'POST',
      url: `/v1${space.content}`,
      headers: { authorization: `Bearer ${space.token}`, 'content-type': 'application/json' },
      payload,
    });
  for (const wrong of ['{"a":[1,', '{"a":"\xff"}']) {
    const bytes = Buffer.from(wrong, 'latin1');
    const small = await send(bytes);
    const large = await send(Buffer.concat([Buffer.alloc(600_000, ' '), bytes]));
    expect(small.statusCode).toBe(400);
    expect(large.json()).toEqual(small.json());
  }
});

test('tRPC clients get large documents too', async () => {
  const { body } = await space.admin.get(`${space.content}/pages`);
  const { documentId } = body.pages.find((page: { title: string }) => page.title === 'Again');
  const input = encodeURIComponent(JSON.stringify({ json: { spaceId: space.id, documentId } }));
  const answer = await service.app.inject({
    url: `/trpc/documents.get?input=${input}`,
    headers: { authorization: `Bearer ${space.token}` },
  });
  const rest = await space.admin.get(`/spaces/${space.id}/documents/${documentId}`);
  expect(answer.json().result.data.json).toEqual(rest.body);
});
