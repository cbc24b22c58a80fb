import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SITE_VISIBILITIES } from '../../schema/enums.ts';
import { buildScene, type Scene } from '../audience/scene.ts';
import { openSessionFor } from '../auth/browser.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';

let service: TestService;
let scene: Scene;
let other: Scene;
/** Paths of the site: without a share key, and with the keys of two share links. */
let path: string;
let keyed: Record<'right' | 'inactive', string>;
beforeAll(async () => {
  service = await startTestService();
  [scene, other] = [await buildScene(service), await buildScene(service)];
  const links = `${scene.at}/share-links`;
  await scene.update({ defaultLevel: 'inherit', visibility: 'share-link' });
  const right = await expectOk(scene.admin.post(links, { name: 'Right' }));
  const inactive = await expectOk(scene.admin.post(links, { name: 'Inactive' }));
  await expectOk(scene.admin.patch(`${links}/${inactive.id}`, { active: false }));
  const pathOf = (url: string) => new URL(url).pathname;
  keyed = { right: pathOf(right.urls.published), inactive: pathOf(inactive.urls.published) };
  path = `/sites/${scene.site}`;
  const { pages, at, file } = scene.space;
  const { document } = await expectOk(
    scene.admin.get(`${at}/content/page/${pages.Start}?format=document&evaluated=false`),
  );
  const block = { object: 'block', type: 'file', isVoid: true, data: { ref: { kind: 'file', file } } };
  const change = {
    operation: 'update_page',
    page: pages.Start,
    document: { document: { ...document, nodes: [...document.nodes, block] } },
  };
  await expectOk(scene.admin.post(`${at}/content`, { changes: [change] }));
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

/** Opens the site with a token in the query string, and returns the cookie that it sets. */
async function cookieFor(token: string): Promise<string> {
  const response = await get(`${path}/start?jwt_token=${token}&a=b`);
  if (response.statusCode !== 302) return `colophon_visitor=${token}`;
  expect(response.headers.location).toBe(`${path}/start?a=b`);
  const [cookie = ''] = [response.headers['set-cookie'] ?? []].flat();
  expect(cookie).toMatch(new RegExp(`; Path=${path}; HttpOnly; SameSite=Lax$`));
  return cookie.split(';')[0] as string;
}

interface Opening {
  at: string;
  cookie?: string;
}

/** Kinds of readers: the path of the site that they open, and the cookie that their browser sends. */
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
} satisfies Record<string, () => Promise<Opening>>;
type Reader = keyof typeof READERS;

type Visibility = (typeof SITE_VISIBILITIES)[number];
/** Readers with a share key. On a site without share links, the key is the path of a page that does not exist. */
const KEYED: readonly Reader[] = [
  'a reader with the share key',
  'a reader with an inactive share key',
  'a reader with a wrong share key',
];
const ADMITS: Record<Visibility, (reader: Reader) => boolean> = {
  public: (reader) => !KEYED.includes(reader),
  unlisted: (reader) => !KEYED.includes(reader),
  'share-link': (reader) => reader === 'a reader with the share key',
  'visitor-auth': (reader) => reader === 'a visitor with a token',
};

/** Resources of a site, and whether shared caches may store those of a public one. */
const RESOURCES = {
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

/** Only members see previews, by their sessions, even on requests from other sites. */
const PREVIEWERS: readonly Reader[] = ['a member'];

describe.for(cases)('a site with visibility %s, published: %s', ([visibility, published]) => {
  beforeAll(() => scene.update({ visibility, published }));

  test.for(Object.keys(READERS) as Reader[])(
    'shows %s exactly the pages, files, PDFs and previews that they may see',
    async (reader) => {
      const { at, cookie }: Opening = await READERS[reader]();
      const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
      const isAdmitted = published && ADMITS[visibility](reader);
      const isOpen = visibility === 'public' || visibility === 'unlisted';
      for (const [resource, isCacheable] of Object.entries(RESOURCES)) {
        const response = await get(at + resource, headers);
        const { statusCode, body } = response;
        const label = `${reader} ${resource}`;
        if (!isAdmitted) {
          // Only a site with visitor authentication reveals that it exists.
          expect(statusCode, label).toBe(published && visibility === 'visitor-auth' ? 401 : 404);
          expect(body, label).not.toMatch(/Text of|For all|For some|\/files\//);
          if (!published || !isOpen) expect(body, label).not.toMatch(/Docs|Guides|Start|Conditional/);
          expect(response.headers['cache-control'], label).not.toMatch(/public/);
          continue;
        }
        expect(statusCode, label).toBe(200);
        const isForAll = isOpen && isCacheable && cookie?.startsWith('colophon_visitor') !== true;
        expect(response.headers['cache-control'], label).toBe(`${isForAll ? 'public' : 'private'}, no-cache`);
        expect(response.headers.vary, label).toMatch(/cookie/);
        // No hidden pages, and nothing for other claims.
        expect(body, label).not.toMatch(/Text of Hidden|Text of Below hidden/);
        if (reader !== 'a visitor with a token')
          expect(body, label).not.toMatch(/For some|Conditional|>Below/);
      }
      const [site, content] = [`/preview${scene.at}`, `/preview${scene.space.at}/content`];
      const isSignedIn = cookie?.startsWith('colophon_session') === true;
      const seesPreviews = PREVIEWERS.includes(reader);
      for (const resource of [
        site,
        content,
        `${site}/start`,
        `${content}/start.md`,
        `${site}/~/search?q=text`,
      ]) {
        const response = await get(resource, { ...headers, 'sec-fetch-site': 'cross-site' });
        const label = `${reader} ${resource}`;
        expect(response.statusCode, label).toBe(seesPreviews ? 200 : isSignedIn ? 404 : 303);
        expect(response.headers['cache-control'], label).toMatch(/no-store/);
        // A strong tag would mean that the page is cached.
        expect(String(response.headers.etag), label).not.toMatch(/^"/);
        if (!seesPreviews) expect(response.body, label).not.toMatch(/Text of|For all|Docs|Guides|Start/);
        else if (/start$|content$|sites.[^/]*$/.test(resource))
          expect(response.body, label).toContain('content="noindex"');
      }
      for (const [title, isShown] of [
        ['Start', isAdmitted],
        ['Conditional', isAdmitted && reader === 'a visitor with a token'],
      ] as const) {
        const pdf = await get(`${at}/~/pdf?page=${scene.space.pages[title]}`, headers);
        const refused = published && !isAdmitted && visibility === 'visitor-auth' ? 401 : 404;
        expect(pdf.statusCode, `${reader} PDF of ${title}`).toBe(isShown ? 302 : refused);
        expect(pdf.headers['cache-control']).toBe('no-store');
        if (isShown) expect(pdf.headers.location).toMatch(/^http:\/\/docs\.test\/pdfs\/.*signature=/);
      }
      const hidden = await get(`${content}/hidden`, headers);
      expect(hidden.body.includes('Text of Hidden')).toBe(seesPreviews);
      if (!isAdmitted) return;
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
    },
  );
});

test('a visitor whose token is too long is refused, not shown what is for visitors without claims', async () => {
  await scene.update({ visibility: 'public', published: true });
  const token = await jwt(scene.authKey, { isPro: true, text: 'a'.repeat(6500) });
  const response = await get(`${path}/start?jwt_token=${token}`);
  expect(response.statusCode).toBe(401);
  expect(response.body).not.toContain('For all.');
});

test('a page has different ETags for visitors with different claims, and the ETag of one does not get the other a 304', async () => {
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

test('a page with a link to a file, whose URL expires, has a different ETag on another day', async () => {
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

test('visitors without a valid token are redirected to the URL where they authenticate', async () => {
  await scene.update({ visibility: 'visitor-auth', published: true });
  const settings = { backend: 'custom', fallbackURL: 'https://example.com/login' };
  await expectOk(scene.admin.patch(`${scene.at}/publishing/auth`, settings));
  for (const cookie of ['', 'colophon_visitor=none.of.ours']) {
    const response = await get(`${path}/start`, { cookie });
    expect(response.statusCode).toBe(302);
    expect(response.headers.location).toBe('https://example.com/login?location=%2Fstart');
    expect(response.headers['cache-control']).toBe('no-store');
  }
});

test('a preview URL shows a site before it is published to anybody who has it', async () => {
  await scene.update({ visibility: 'public', published: false });
  const { url } = await expectOk(scene.admin.get(`${scene.at}/publishing/preview?claims=(isPro:!t)`));
  const { pathname, search } = new URL(url);
  expect((await get(pathname)).statusCode).toBe(404);
  const opened = await get(pathname + search);
  const [cookie = ''] = [opened.headers['set-cookie'] ?? []].flat();
  const shown = await get(pathname, { cookie: cookie.split(';')[0] as string });
  expect(shown.statusCode).toBe(200);
  expect(shown.body).toContain('class="preview"');
  expect(shown.headers['cache-control']).toBe('private, no-cache');
});
