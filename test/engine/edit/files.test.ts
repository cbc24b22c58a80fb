import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Outbound } from '../../../routers/base/outbound-ports.ts';
import { createFileFetcher } from '../../../routers/content/file-urls.ts';
import { decodeBase64, describeFile, FILE_LIMIT } from '../../../routers/engine/edit/files.ts';

describe('base64', () => {
  test('decoding the base64 of the largest file does not block the event loop', async () => {
    const bytes = Buffer.alloc(FILE_LIMIT, 'colophon');
    const text = bytes.toString('base64');
    let turns = 0;
    const takeTurns = () => {
      turns++;
      turn = setImmediate(takeTurns);
    };
    let turn = setImmediate(takeTurns);
    const decoded = await decodeBase64(text);
    clearImmediate(turn);
    expect(bytes.equals(decoded ?? Buffer.alloc(0))).toBe(true);
    expect(turns).toBeGreaterThan(10);
  });

  test.for(['', 'QQ==', 'QUI=', 'QUJD', '+/+/'])('%j is valid base64', async (text) => {
    expect(Buffer.from((await decodeBase64(text)) ?? [0]).toString('base64')).toBe(text);
  });

  test.for([
    'Q',
    'QQ',
    'QQ=',
    'QQ===',
    '====',
    '=',
    'Q===',
    'QQ==QQ==',
    '-_-_',
    'QU JD',
    'QUJD\n',
    'QUJ QUJ ',
    'QUJD\n\n\n\n',
    'QÜJD',
    ' ',
  ])('%j is not valid base64', async (text) => expect(await decodeBase64(text)).toBeUndefined());

  test('an error at the end of the base64 of a large file is found', async () => {
    const text = 'QUJD'.repeat(2_500_000);
    for (const end of ['!UJD', 'QUJ', 'QU=D', '====']) expect(await decodeBase64(text + end)).toBeUndefined();
  });
});

test('the metadata of a file contains its hash, size and type', async () => {
  const bytes = Buffer.alloc(100_000, 'colophon');
  expect(await describeFile('a.txt', bytes, 'image/png')).toEqual({
    name: 'a.txt',
    contentType: 'text/plain',
    size: 100_000,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

describe('the URLs of one request', () => {
  let asked = 0;
  /** Responds after a delay with the number of bytes in the URL, up to the limit. */
  const outbound: Pick<Outbound, 'get'> = {
    async get(url, { maxBytes, signal }) {
      asked++;
      const [size = 0, time = 0] = url.split(' ').map(Number);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, time);
        signal?.addEventListener('abort', () => resolve(clearTimeout(timer)));
      });
      if (signal?.aborted) return { problem: 'No answer.' };
      return size > maxBytes ? { problem: 'Too large.', isTooLarge: true } : { bytes: new Uint8Array(size) };
    },
  };
  const limits = { files: 3, bytes: 100, time: 60_000 };

  test('the number of URLs in one request is limited', async () => {
    const read = createFileFetcher(outbound, limits);
    for (let count = 0; count < 3; count++) expect(await read('1')).toHaveProperty('bytes');
    expect(await read('1')).toEqual({ problem: 'A request may name at most 3 URLs.' });
  });

  test('the total size of files from URLs in one request is limited', async () => {
    const read = createFileFetcher(outbound, limits);
    expect(await read('60')).toHaveProperty('bytes');
    expect(await read('41')).toEqual({ problem: expect.stringContaining('100 bytes in total') });
    expect(await read('40')).toHaveProperty('bytes');
  });

  test('the total time for fetching URLs in one request is limited, including those not started yet', async () => {
    const read = createFileFetcher(outbound, { ...limits, time: 20 });
    asked = 0;
    expect(await read('1 60000')).toEqual({ problem: expect.stringContaining('took more than') });
    // It would wait forever for its turn.
    expect(await read('1')).toEqual({ problem: expect.stringContaining('took more than') });
    expect(asked).toBe(1);
  });

  test('other errors of fetching a URL are reported as they are', async () => {
    const read = createFileFetcher(outbound, { ...limits, bytes: 2 * FILE_LIMIT });
    expect(await read(String(FILE_LIMIT + 1))).toMatchObject({ problem: 'Too large.' });
  });
});
