import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FILE_LIMIT } from '../../routers/engine/edit/files.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

let service: TestService;
let space: EditedSpace;
beforeAll(async () => {
  service = await startTestService({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  space = await editedSpace(service, {});
});
afterAll(() => service.close());

const edit = (...changes: object[]) => space.editor.post(`${space.content}?compat=false`, { changes });
const insertFile = (file: object) => ({ operation: 'insert_files', files: [{ name: 'a.bin', ...file }] });

test('a file that is sent as base64 may have up to 10 MB', async () => {
  const { status, body } = await edit(insertFile({ base64: Buffer.alloc(FILE_LIMIT).toString('base64') }));
  expect(status).toBe(200);
  expect(body.changes.files[0].file.size).toBe(FILE_LIMIT);
  const larger = await edit(insertFile({ base64: Buffer.alloc(FILE_LIMIT + 1).toString('base64') }));
  expect(larger.status).toBe(400);
  expect(larger.body.error.details[0].path).toBe('changes.0.files.0.base64');
});

test('a large base64 text with one invalid character is refused', async () => {
  const text = Buffer.alloc(6_000_000).toString('base64');
  for (const base64 of [
    `${text.slice(0, -1)}!`,
    `${text}A`,
    text.replace('A', '-'),
    `${text.slice(0, -4)}A===`,
  ]) {
    const { status, body } = await edit(insertFile({ base64 }));
    expect(status).toBe(400);
    expect(body.error.message).toContain('not valid base64');
  }
});

describe('files by URL', () => {
  /** Serves a file of as many bytes as its path says, or redirects from `/hops/<n>` n times; counts the requests. */
  let server: Server;
  let requests = 0;
  let base: string;
  beforeAll(async () => {
    const bytes = Buffer.alloc(FILE_LIMIT + 1);
    server = createServer(({ url = '' }, response) => {
      requests++;
      const [, hops] = /^\/hops\/(\d+)$/.exec(url) ?? [];
      if (hops === undefined) response.end(bytes.subarray(0, Number(url.slice(1))));
      else response.writeHead(302, { location: hops === '1' ? '/1' : `/hops/${Number(hops) - 1}` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    requests = 0;
  });

  /** One change with a file for each path. */
  const insertFrom = (...paths: (number | string)[]) => ({
    operation: 'insert_files',
    files: paths.map((path, index) => ({ name: `${index}`, url: `${base}/${path}` })),
  });
  const ones = (count: number) => insertFrom(...Array.from({ length: count }, () => 1));

  test('files by URL are at most 50 in one edit, however many changes name them; nothing is read of more', async () => {
    const refused = await edit(ones(25), ones(26));
    expect(refused.status).toBe(400);
    expect(refused.body.error.message + JSON.stringify(refused.body.error.details)).toContain(
      'at most 50 files by url',
    );
    expect(requests).toBe(0);
    expect((await edit(ones(25), ones(25))).status).toBe(200);
    expect(requests).toBe(50);
  });

  test('files by URL have at most 50 MB together, however many changes name them', async () => {
    const two = insertFrom(FILE_LIMIT, FILE_LIMIT);
    const { status, body } = await edit(two, two, insertFrom(FILE_LIMIT, 1), ones(5));
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      {
        path: 'changes.2.files.1.url',
        message: 'The files at the URLs of this request are larger than 50 MB in total.',
      },
    ]);
    // The first that is too much is the last that is asked for.
    expect(requests).toBe(6);
  });

  test('files by URL have at most 10 MB each', async () => {
    const { status, body } = await edit(insertFrom(FILE_LIMIT + 1, 1));
    expect(status).toBe(400);
    expect(body.error.details[0].path).toBe('changes.0.files.0.url');
    expect(requests).toBe(1);
  });

  test('files by URL are looked for behind at most five redirects', async () => {
    expect((await edit(insertFrom('hops/5'))).status).toBe(200);
    expect(requests).toBe(6);
    expect((await edit(insertFrom('hops/6'))).status).toBe(400);
    expect(requests).toBe(12);
  });
});

test('pages may be nested at most 32 levels deep', async () => {
  const insert = (index: number) => ({
    operation: 'insert_page',
    title: `Level ${index}`,
    ref: `p${index}`,
    ...(index > 1 && { into: `p${index - 1}` }),
  });
  const levels = Array.from({ length: 33 }, (_, index) => insert(index + 1));
  const refused = await edit(...levels);
  expect(refused.status).toBe(400);
  expect(refused.body.error.details).toEqual([
    { path: 'changes.32.into', message: 'The page would be more than 32 levels deep.' },
  ]);
  const { status, body } = await edit(...levels.slice(0, 32));
  expect(status).toBe(200);
  const deepest = body.changes.pages.at(-1).id;
  expect((await edit({ operation: 'insert_page', title: 'Deeper', into: deepest })).status).toBe(400);
  expect((await space.editor.get(`${space.content}/pages`)).status).toBe(200);
});
