import { describe, expect, test } from 'vitest';
import type { FetchResult } from '../../routers/base/outbound-ports.ts';
import { describeAddress } from '../../routers/embeds/describe.operation.ts';
import { readPageHead } from '../../routers/embeds/page-head.ts';

/** Other servers by the beginnings of their addresses. */
const servers = (answers: Record<string, string | object>) => ({
  asked: [] as string[],
  async get(url: string): Promise<FetchResult> {
    this.asked.push(url);
    const found = Object.entries(answers).find(([start]) => url.startsWith(start))?.[1];
    if (found === undefined) return { problem: 'The URL could not be read.' };
    const text = typeof found === 'string' ? found : JSON.stringify(found);
    const contentType = typeof found === 'string' ? 'text/html' : 'application/json';
    return { bytes: Buffer.from(text), contentType };
  },
});

const VIDEO = 'https://www.youtube.com/watch?v=abc';
const frame = (src: string) =>
  `<iframe width="200" src="${src}" onload="alert(1)"></iframe><script>x()</script>`;
const described = (html: unknown, more: object = {}) =>
  servers({
    'https://www.youtube.com/oembed': { title: 'A "film"', provider_name: 'YouTube', html, ...more },
  });

test('content of a provider is shown in a frame on its own hosts, and only the URL of its frame is used', async () => {
  const outbound = described(frame('https://www.youtube.com/embed/abc?a=1&amp;b=2'), {
    width: 200,
    height: 113,
  });
  const found = await describeAddress(outbound, VIDEO);
  expect(found).toMatchObject({ title: 'A "film"', site: 'YouTube' });
  expect(found?.html).toMatch(
    /^<iframe src="https:\/\/www\.youtube\.com\/embed\/abc\?a=1&#x26;b=2" title="A &#x22;film&#x22;" .*aspect-ratio:200\/113;/,
  );
  expect(found?.html).not.toMatch(/script|onload/);
  expect(outbound.asked).toEqual([
    `https://www.youtube.com/oembed?format=json&url=${encodeURIComponent(VIDEO)}`,
  ]);
});

test.for([
  frame('https://evil.example/embed'),
  frame('https://www.youtube.com.evil.example/embed'),
  frame('http://www.youtube.com/embed/abc'),
  frame('https://www.youtube.com:8443/embed/abc'),
  frame('javascript:alert(1)'),
  '<p>No frame.</p>',
  42,
])('what a provider describes is a link with another frame: %s', async (html) => {
  const found = await describeAddress(described(html), VIDEO);
  expect(found).toMatchObject({ title: 'A "film"' });
  expect(found?.html).toBeUndefined();
});

test('a frame is 16:9 if the provider gives no valid size', async () => {
  const outbound = described(frame('https://www.youtube.com/embed/abc'), { width: '1;x:y', height: 1 });
  expect((await describeAddress(outbound, VIDEO))?.html).toContain('aspect-ratio:16/9;');
});

test('no other site is shown in a frame, whatever its metadata', async () => {
  const outbound = servers({
    'https://example.com/': `<title>Mine</title>${frame('https://www.youtube.com/embed/a')}`,
  });
  expect(await describeAddress(outbound, 'https://example.com/page')).toEqual({ title: 'Mine' });
});

test('a URL that is not a page, or has no metadata, has no description', async () => {
  expect(
    await describeAddress(servers({ 'https://example.com/': { title: 'JSON' } }), 'https://example.com/'),
  ).toBe(undefined);
  expect(await describeAddress(servers({ 'https://example.com/': '<p>Text' }), 'https://example.com/')).toBe(
    undefined,
  );
  expect(await describeAddress(servers({}), 'https://example.com/')).toBe(undefined);
});

describe('the head of a page', () => {
  const read = (html: string) => readPageHead(html, 'https://example.com/a/b');

  test('the head of a page has its title, its site and its icon, whatever the order and quotes of attributes', () => {
    expect(
      read(
        `<TITLE>x</TITLE><meta content='One\n two' property=og:title><link href=../i.svg rel="alternate icon">`,
      ),
    ).toEqual({ title: 'One two', icon: 'https://example.com/i.svg' });
  });

  test('an icon that is not on the web is ignored', () => {
    expect(read('<link rel=icon href="data:image/png;base64,x">').icon).toBeUndefined();
  });

  test('the head of a page is parsed in time linear in its length', () => {
    const started = performance.now();
    for (const part of [
      '<meta ',
      '<meta a',
      'a=',
      '<title',
      '<link rel="icon" ',
      'a:',
      '&',
      "<meta content='",
    ])
      read(part.repeat(256_000 / part.length));
    read(`<meta ${'a'.repeat(256_000)}>`);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
