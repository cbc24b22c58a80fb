import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SITE_VISIBILITIES } from '../../schema/enums.ts';
import { buildScene, type Scene } from '../audience/scene.ts';
import { openSessionFor } from '../auth/browser.ts';
import { made, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';

let service: TestService;
let scene: Scene;
let other: Scene;
/** Paths of the site: without a share key, and with that of a link. */
let path: string;
let keyed: Record<'right' | 'inactive', string>;
beforeAll(async () => {
  service = await startTestService();
  [scene, other] = [await buildScene(service), await buildScene(service)];
  const links = `${scene.at}/share-links`;
  await scene.update({ defaultLevel: 'inherit', visibility: 'share-link' });
  const right = await made(scene.admin.post(links, { name: 'Right' }));
  const inactive = await made(scene.admin.post(links, { name: 'Inactive' }));
  await made(scene.admin.patch(`${links}/${inactive.id}`, { active: false }));
  const pathOf = (url: string) => new URL(url).pathname;
  keyed = { right: pathOf(right.urls.published), inactive: pathOf(inactive.urls.published) };
  path = `/sites/${scene.site}`;
  const { pages, at, file } = scene.space;
  const { document } = await made(
    scene.admin.get(`${at}/content/page/${pages.Start}?format=document&evaluated=false`),
  );
  const block = { object: 'block', type: 'file', isVoid: true, data: { ref: { kind: 'file', file } } };
  const change = {
    operation: 'update_page',
    page: pages.Start,
    document: { document: { ...document, nodes: [...document.nodes, block] } },
  };
  await made(scene.admin.post(`${at}/content`, { changes: [change] }));
  await index(service, scene.organization);
});
afterAll(() => service.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url, headers: { host: 'docs.test', ...headers } });

const jwt = (key: string, claims: object = { isPro: true }) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(Buffer.from(key));

/** Comes with a token in the query, and is left with a cookie for the site. */
async function cookieFor(token: string): Promise<string> {
  const answer = await get(`${path}/start?jwt_token=${token}&a=b`);
  if (answer.statusCode !== 302) return `colophon_visitor=${token}`;
  expect(answer.headers.location).toBe(`${path}/start?a=b`);
  const [cookie = ''] = [answer.headers['set-cookie'] ?? []].flat();
  expect(cookie).toMatch(new RegExp(`; Path=${path}; HttpOnly; SameSite=Lax$`));
  return cookie.split(';')[0] as string;
}

interface Came {
  at: string;
  cookie?: string;
}

/** How readers come: the path of the site as they have it, and what their browser sends. */
const READERS = {
  anonymous: async () => ({ at: path }),
  'a member': async () => ({ at: path, cookie: (await openSessionFor(service, scene.owner.id)).cookie }),
  'a user of another organization': async () => ({
    at: path,
    cookie: (await openSessionFor(service, other.owner.id)).cookie,
  }),
  'a reader with the share key': async () => ({ at: keyed.right }),
  'a reader with an inactive share key': async () => ({ at: keyed.inactive }),
  'a reader with a wrong share key': async () => ({ at: `${keyed.right.slice(0, -4)}AAAA` }),
  'a visitor with a token': async () => ({ at: path, cookie: await cookieFor(await jwt(scene.authKey)) }),
  'a visitor with a token of another site': async () => ({
    at: path,
    cookie: `colophon_visitor=${await jwt(other.authKey)}`,
  }),
} satisfies Record<string, () => Promise<Came>>;
type Reader = keyof typeof READERS;

type Visibility = (typeof SITE_VISIBILITIES)[number];
/** By hand. On a site without share links, a key is the path of a page that is not there. */
const KEYED: readonly Reader[] = [
  'a reader with the share key',
  'a reader with an inactive share key',
  'a reader with a wrong share key',
];
const LETS_IN: Record<Visibility, (reader: Reader) => boolean> = {
  public: (reader) => !KEYED.includes(reader),
  unlisted: (reader) => !KEYED.includes(reader),
  'share-link': (reader) => reader === 'a reader with the share key',
  'visitor-auth': (reader) => reader === 'a visitor with a token',
};

/** What is read of a site, and whether caches between may keep it of a public one. */
const WAYS = {
  '/': true,
  '/start': true,
  '/start.md': true,
  '/sitemap.xml': true,
  '/robots.txt': true,
  '/feed.xml': true,
  '/llms.txt': true,
  '/llms-full.txt': true,
  '/~/search?q=text': false,
  '/~/search.json?q=text': false,
};

const cases = SITE_VISIBILITIES.flatMap((visibility) =>
  [true, false].map((published) => [visibility, published] as const),
);

/** Members alone, by their sessions, wherever they come from. */
const PREVIEWERS: readonly Reader[] = ['a member'];

describe.for(cases)('a site with the visibility %s that is published: %s', ([visibility, published]) => {
  beforeAll(() => scene.update({ visibility, published }));

  test.for(Object.keys(READERS) as Reader[])('for %s', async (reader) => {
    const { at, cookie }: Came = await READERS[reader]();
    const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
    const isIn = published && LETS_IN[visibility](reader);
    const isOpen = visibility === 'public' || visibility === 'unlisted';
    for (const [way, isKept] of Object.entries(WAYS)) {
      const answer = await get(at + way, headers);
      const { statusCode, body } = answer;
      const asked = `${reader} ${way}`;
      if (!isIn) {
        // Only a site that authenticates its visitors says that it is there.
        expect(statusCode, asked).toBe(published && visibility === 'visitor-auth' ? 401 : 404);
        expect(body, asked).not.toMatch(/Text of|For all|For some|\/files\//);
        if (!published || !isOpen) expect(body, asked).not.toMatch(/Docs|Guides|Start|Conditional/);
        expect(answer.headers['cache-control'], asked).not.toMatch(/public/);
        continue;
      }
      expect(statusCode, asked).toBe(200);
      const isForAll = isOpen && isKept && cookie?.startsWith('colophon_visitor') !== true;
      expect(answer.headers['cache-control'], asked).toBe(`${isForAll ? 'public' : 'private'}, no-cache`);
      expect(answer.headers.vary, asked).toMatch(/cookie/);
      // Nothing hidden, and nothing for the claims of others.
      expect(body, asked).not.toMatch(/Text of Hidden|Text of Below hidden/);
      if (reader !== 'a visitor with a token') expect(body, asked).not.toMatch(/For some|Conditional|>Below/);
    }
    const [site, content] = [`/preview${scene.at}`, `/preview${scene.space.at}/content`];
    const isSignedIn = cookie?.startsWith('colophon_session') === true;
    const seesPreviews = PREVIEWERS.includes(reader);
    for (const way of [site, content, `${site}/start`, `${content}/start.md`, `${site}/~/search?q=text`]) {
      const answer = await get(way, { ...headers, 'sec-fetch-site': 'cross-site' });
      const asked = `${reader} ${way}`;
      expect(answer.statusCode, asked).toBe(seesPreviews ? 200 : isSignedIn ? 404 : 303);
      expect(answer.headers['cache-control'], asked).toMatch(/no-store/);
      // A strong tag would be that of a page that is kept.
      expect(String(answer.headers.etag), asked).not.toMatch(/^"/);
      if (!seesPreviews) expect(answer.body, asked).not.toMatch(/Text of|For all|Docs|Guides|Start/);
      else if (/start$|content$|sites.[^/]*$/.test(way))
        expect(answer.body, asked).toContain('content="noindex"');
    }
    for (const [title, isShown] of [
      ['Start', isIn],
      ['Conditional', isIn && reader === 'a visitor with a token'],
    ] as const) {
      const pdf = await get(`${at}/~/pdf?page=${scene.space.pages[title]}`, headers);
      const refused = published && !isIn && visibility === 'visitor-auth' ? 401 : 404;
      expect(pdf.statusCode, `${reader} PDF of ${title}`).toBe(isShown ? 302 : refused);
      expect(pdf.headers['cache-control']).toBe('no-store');
      if (isShown) expect(pdf.headers.location).toMatch(/^http:\/\/docs\.test\/pdfs\/.*signature=/);
    }
    const hidden = await get(`${content}/hidden`, headers);
    expect(hidden.body.includes('Text of Hidden')).toBe(seesPreviews);
    if (!isIn) return;
    const start = await get(`${at}/start`, headers);
    expect(start.body).toContain('For all.');
    expect(start.body.includes('For some.')).toBe(reader === 'a visitor with a token');
    expect(start.body.includes('Conditional')).toBe(reader === 'a visitor with a token');
    const [, download = ''] = / href="(?:http:\/\/docs\.test)?(\/files\/[^"]+)"/.exec(start.body) ?? [];
    const file = await get(download.replaceAll('&amp;', '&'));
    expect([file.statusCode, file.body]).toEqual([200, 'Text.']);
    expect(file.headers['content-security-policy']).toMatch(/sandbox/);
    const sitemap = await get(`${at}/sitemap.xml`);
    const isListed = visibility === 'public';
    expect(sitemap.body.includes('<loc>')).toBe(isListed && sitemap.statusCode === 200);
    expect(start.body.includes('<meta name="robots" content="noindex">')).toBe(
      !isListed || reader === 'a visitor with a token',
    );
  });
});

test('the same page has another tag for another visitor, and is not given to one for the tag of the other', async () => {
  await scene.update({ visibility: 'public', published: true });
  const anonymous = await get(`${path}/start`);
  const cookie = await cookieFor(await jwt(scene.authKey));
  const pro = await get(`${path}/start`, { cookie });
  expect(anonymous.headers.etag).toMatch(/^"[\w-]+\.\d+"$/);
  expect(pro.headers.etag).not.toBe(anonymous.headers.etag);
  const again = await get(`${path}/start`, { cookie, 'if-none-match': String(anonymous.headers.etag) });
  expect(again.statusCode).toBe(200);
  expect(again.body).toContain('For some.');
  const same = await get(`${path}/start`, { cookie, 'if-none-match': String(pro.headers.etag) });
  expect([same.statusCode, same.body]).toEqual([304, '']);
});

test('a page with a file, whose address expires, has another tag on another day', async () => {
  await scene.update({ visibility: 'public', published: true });
  const today = String((await get(`${path}/start`)).headers.etag);
  expect((await get(`${path}/start`, { 'if-none-match': today })).statusCode).toBe(304);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60 * 1000 });
  try {
    const { statusCode, headers } = await get(`${path}/start`, { 'if-none-match': today });
    expect(statusCode).toBe(200);
    expect(headers.etag).not.toBe(today);
  } finally {
    vi.useRealTimers();
  }
});

test('visitors without a token are sent to where they are authenticated', async () => {
  await scene.update({ visibility: 'visitor-auth', published: true });
  const settings = { backend: 'custom', fallbackURL: 'https://example.com/login' };
  await made(scene.admin.patch(`${scene.at}/publishing/auth`, settings));
  for (const cookie of ['', 'colophon_visitor=none.of.ours']) {
    const answer = await get(`${path}/start`, { cookie });
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe('https://example.com/login?location=%2Fstart');
    expect(answer.headers['cache-control']).toBe('no-store');
  }
});

test('a preview shows a site before it is published, to whoever has its address', async () => {
  await scene.update({ visibility: 'public', published: false });
  const { url } = await made(scene.admin.get(`${scene.at}/publishing/preview?claims=(isPro:!t)`));
  const { pathname, search } = new URL(url);
  expect((await get(pathname)).statusCode).toBe(404);
  const came = await get(pathname + search);
  const [cookie = ''] = [came.headers['set-cookie'] ?? []].flat();
  const shown = await get(pathname, { cookie: cookie.split(';')[0] as string });
  expect(shown.statusCode).toBe(200);
  expect(shown.body).toContain('class="preview"');
  expect(shown.headers['cache-control']).toBe('private, no-cache');
});
