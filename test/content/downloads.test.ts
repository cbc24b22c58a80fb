import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

let service: TestService;
let space: EditedSpace;
beforeAll(async () => {
  service = await startTestService();
  space = await editedSpace(service);
});
afterAll(() => service.close());

const insert = (name: string, bytes: string | Buffer) =>
  space.editor.post(`${space.content}?compat=false`, {
    changes: [
      { operation: 'insert_files', files: [{ name, base64: Buffer.from(bytes).toString('base64') }] },
    ],
  });

/** The path of a new file's bytes. */
async function stored(name: string, bytes: string | Buffer): Promise<string> {
  const { body } = await insert(name, bytes);
  const { pathname, search } = new URL(body.changes.files[0].file.downloadURL);
  return pathname + search;
}

const read = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.app.inject({ method, url, headers });

describe('a download', () => {
  let url: string;
  let tag: string;
  beforeAll(async () => {
    url = await stored('letters.bin', 'abcdefghij');
    tag = String((await read(url)).headers.etag);
  });

  test.for([
    ['the exact tag', (own: string) => own],
    ['its weak form', (own: string) => `W/${own}`],
    ['a list that contains it', (own: string) => `"other" , W/"third",${own}`],
    ['any', () => '*'],
  ] as const)('a download gets 304 if If-None-Match is %s, with or without a range', async ([, given]) => {
    const headers = { 'if-none-match': given(tag), 'cache-control': 'no-cache', range: 'bytes=0-3' };
    const answer = await read(url, headers);
    expect(answer).toMatchObject({ statusCode: 304, body: '' });
    expect(answer.headers.etag).toBe(tag);
  });

  test('a download is complete for clients that have another version of the file', async () => {
    for (const given of ['"other"', tag.slice(1, -1), `x${tag}`]) {
      expect(await read(url, { 'if-none-match': given })).toMatchObject({
        statusCode: 200,
        body: 'abcdefghij',
      });
    }
  });

  test.for([
    ['bytes=0-3', 206, 'abcd', 'bytes 0-3/10'],
    ['bytes=7-', 206, 'hij', 'bytes 7-9/10'],
    ['bytes=-2', 206, 'ij', 'bytes 8-9/10'],
    ['bytes=-99', 206, 'abcdefghij', 'bytes 0-9/10'],
    ['bytes=4-99999999999999999999', 206, 'efghij', 'bytes 4-9/10'],
    ['bytes=3-1', 200, 'abcdefghij', undefined],
    ['bytes=0-1,3-4', 200, 'abcdefghij', undefined],
    ['items=0-1', 200, 'abcdefghij', undefined],
    ['bytes=', 200, 'abcdefghij', undefined],
    [`bytes=${'0-0,'.repeat(3000)}0-0`, 200, 'abcdefghij', undefined],
  ] as const)('a download of the range %s gets %i', async ([range, status, body, contentRange]) => {
    const answer = await read(url, { range });
    expect(answer).toMatchObject({ statusCode: status, body });
    expect(answer.headers['content-range']).toBe(contentRange);
    expect(answer.headers['content-length']).toBe(String(body.length));
  });

  test.for(['bytes=10-', 'bytes=99-100', 'bytes=-0'])(
    'a download of the unsatisfiable range %s gets 416',
    async (range) => {
      const answer = await read(url, { range });
      expect(answer.statusCode).toBe(416);
      expect(answer.headers['content-range']).toBe('bytes */10');
      expect(answer.json()).toEqual({ error: { code: 416, message: expect.any(String) } });
    },
  );

  test('a download of a range is partial only if If-Range names the exact file', async () => {
    const range = 'bytes=0-3';
    expect((await read(url, { range, 'if-range': tag })).statusCode).toBe(206);
    for (const condition of [`W/${tag}`, '"other"', '*', new Date().toUTCString()]) {
      expect(await read(url, { range, 'if-range': condition })).toMatchObject({
        statusCode: 200,
        body: 'abcdefghij',
      });
      expect((await read(url, { range: 'bytes=99-', 'if-range': condition })).statusCode).toBe(200);
    }
  });

  test('a download supports HEAD, with and without ranges', async () => {
    for (const headers of [{}, { range: 'bytes=0-3' }, { range: 'bytes=99-' }]) {
      const answer = await read(url, headers as Record<string, string>, 'HEAD');
      expect(answer).toMatchObject({ statusCode: 200, body: '' });
      expect(answer.headers).toMatchObject({ 'content-length': '10', etag: tag, 'accept-ranges': 'bytes' });
    }
  });

  test('a download is never compressed, so that ranges count the bytes of the file', async () => {
    const text = await stored('long.txt', 'word '.repeat(2000));
    const answer = await read(text, { 'accept-encoding': 'gzip, br' });
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(answer.body).toHaveLength(10_000);
  });
});

test.for([
  ['UTF-8', 'notes.txt', 'Grüße, жизнь, 🎉\n'.repeat(9000), 'text/plain; charset=utf-8'],
  ['ASCII', 'data.csv', 'a,b\n', 'text/csv; charset=utf-8'],
  ['Latin-1', 'old.txt', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/plain'],
  ['truncated UTF-8', 'cut.txt', Buffer.from('Grü').subarray(0, 3), 'text/plain'],
  ['binary', 'a.bin', 'abc', 'application/octet-stream'],
] as const)('a file is declared UTF-8 only if all of it is: %s', async ([, name, bytes, type]) => {
  const url = await stored(name, bytes);
  for (const _ of [1, 2]) expect((await read(url)).headers['content-type']).toBe(type);
});

test.for([
  ['plain.bin', 'attachment; filename=plain.bin'],
  [
    'Grüße "1".bin',
    'attachment; filename="Gr??e \\"1\\".bin"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe%20%221%22.bin',
  ],
] as const)('a file keeps its name: %s', async ([name, disposition]) => {
  expect((await read(await stored(name, 'x'))).headers['content-disposition']).toBe(disposition);
});

test.for(['.', '..', '', ' ', '\t', 'a/b', '../x', 'a\\b', '..\\', 'a\nb', 'a\u0085b', 'a'.repeat(256)])(
  'a file cannot be named %j',
  async (name) => {
    const { status, body } = await insert(name, 'x');
    expect(status).toBe(400);
    expect(body.error.details[0].path).toBe('changes.0.files.0.name');
  },
);

test.for(['...', '..a', 'a..', '.gitignore', '%2e%2e', 'a%2Fb', 'Ä 1.png'])(
  'a file can be named %j, and downloaded',
  async (name) => {
    expect(await read(await stored(name, `bytes of ${name}`))).toMatchObject({
      statusCode: 200,
      body: `bytes of ${name}`,
    });
  },
);
