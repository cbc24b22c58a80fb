import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { spaceWith } from '../search/scene.ts';
import { insert, update } from './scene.ts';

let service: TestService;
let admin: Client;
let organization: string;
let at: string;
let site: string;
/** A section with two variants, and another one, which is the default. */
let guides: string;
let versions: { id: string; space: string; page: string }[];
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
});
afterAll(() => service.close());
beforeEach(async () => {
  site = (await service.build.site(organization)).id;
  at = `/orgs/${organization}/sites/${site}`;
  const home = (await service.build.section(site, { path: 'home', isDefault: true })).id;
  guides = (await service.build.section(site, { path: 'guides' })).id;
  const show = async (section: string, path: string, isDefault: boolean) => {
    const { id: space, pages } = await spaceWith(admin, organization, [insert('Start'), insert('Install')]);
    const { id } = await service.build.siteSpace(site, { path, space, section, isDefault });
    return { id, space, page: pages.Install as string };
  };
  await show(home, 'main', true);
  versions = [await show(guides, 'v1', true), await show(guides, 'v2', false)];
});

const renameSection = (path: string, id = guides) => expectOk(admin.patch(`${at}/sections/${id}`, { path }));
const renameVersion = (index: number, path: string) =>
  expectOk(admin.patch(`${at}/site-spaces/${versions[index]?.id}`, { path }));

const root = () => `/sites/${site}`;

/** The path to which a browser is sent from a path, or else the status of the page there. */
async function open(path: string): Promise<string | number> {
  const { statusCode, headers } = await service.app.inject({
    url: root() + path,
    headers: { host: 'docs.test', accept: 'text/html' },
  });
  if (statusCode !== 302) return statusCode;
  return new URL(String(headers.location), 'http://docs.test').href.replace(`http://docs.test${root()}`, '');
}

/** The same as renderers see it. */
async function lookUp(path: string, visitor: object = {}): Promise<string> {
  const url = `http://docs.test${root()}${path}`;
  const { body } = await service.as().post('/urls/published', { url, visitor });
  return body.redirect?.replace(`http://docs.test${root()}`, '') ?? `${body.basePath}${body.pathname}`;
}

describe('earlier addresses', () => {
  test('the earlier addresses of a renamed section lead to its present ones, with the query', async () => {
    await renameSection('manual');
    expect(await open('/guides/install?a=b')).toBe('/manual/install?a=b');
    expect(await open('/guides/v2/install')).toBe('/manual/v2/install');
    expect(await open('/guides')).toBe('/manual');
    expect(await lookUp('/guides/install')).toBe('/manual/install');
    expect(await open('/manual/install')).toBe(200);
    await renameSection('handbook');
    for (const path of ['guides', 'manual'])
      expect(await open(`/${path}/v2/install`)).toBe('/handbook/v2/install');
    expect(await open('/nothing/install')).toBe(404);
  });

  test('the earlier addresses of a renamed variant, and of one in a renamed section, lead to its present ones', async () => {
    await renameVersion(1, 'next');
    expect(await open('/guides/v2/install')).toBe('/guides/next/install');
    expect(await open('/guides/v2')).toBe('/guides/next');
    await renameSection('manual');
    expect(await open('/guides/v2/install')).toBe('/manual/next/install');
    expect(await open('/manual/v2/install')).toBe('/manual/next/install');
    expect(await open('/guides/next/install')).toBe('/manual/next/install');
  });

  test('the earlier path of a variant does not name it in the section that it moves to', async () => {
    const { items } = await expectOk(admin.get(`${at}/site-spaces`));
    const main = items.find(({ path }: { path: string }) => path === 'main');
    await renameVersion(1, 'next');
    const position = { after: { type: 'site-space', siteSpace: main.id } };
    await expectOk(admin.post(`${at}/site-spaces/${versions[1]?.id}/move`, { position }));
    expect([await open('/home/next/install'), await open('/home/v2/install')]).toEqual([200, 404]);
  });

  test('what is at an address now takes precedence over earlier addresses, and redirects do, too', async () => {
    await renameSection('manual');
    await renameSection('guides');
    expect([await open('/guides/install'), await open('/manual/install')]).toEqual([200, '/guides/install']);
    await renameSection('manual');
    const { items } = await expectOk(admin.get(`${at}/sections`));
    const home = items.find(({ default: isDefault }: { default: boolean }) => isDefault);
    const destination = { kind: 'site-space', siteSpaceId: versions[1]?.id };
    await expectOk(admin.post(`${at}/redirects`, { source: '/guides/install', destination }));
    expect(await open('/guides/install')).toBe('/manual/v2');
    await renameSection('guides', home.id);
    expect(await open('/guides/start')).toBe(200);
    expect(await open('/guides/v2/install')).toBe(404);
  });

  test('a page of the default section at an earlier address of a section takes precedence', async () => {
    await renameSection('manual');
    const { items } = await expectOk(admin.get(`${at}/site-spaces?default=true`));
    const [{ space }] = items;
    await expectOk(admin.post(`/spaces/${space.id}/content`, { changes: [insert('Guides')] }));
    expect(await open('/guides')).toBe(200);
    expect(await open('/guides/install')).toBe('/manual/install');
  });

  test('an earlier address leads to what had it last', async () => {
    await renameVersion(0, 'old');
    await renameVersion(1, 'v1');
    await renameVersion(1, 'new');
    expect(await open('/guides/v1/install')).toBe('/guides/new/install');
    expect(await open('/guides/old/install')).toBe(200);
  });

  test('the earlier address of a page in a renamed section is followed after that of the section', async () => {
    await renameSection('manual');
    const [version] = versions;
    const changes = [update(version?.page, { slug: 'setup' })];
    await expectOk(admin.post(`/spaces/${version?.space}/content`, { changes }));
    expect(await open('/guides/install')).toBe('/manual/install');
    expect(await open('/manual/install')).toBe('/manual/setup');
  });

  test('earlier addresses of sections and variants are not found by those who do not see them', async () => {
    await renameSection('manual');
    await renameVersion(1, 'next');
    await expectOk(admin.patch(at, { adaptiveContent: { enabled: true } }));
    const pro = { unsignedClaims: { isPro: true } };
    const condition = 'visitor.claims.unsigned.isPro';
    await expectOk(admin.patch(`${at}/site-spaces/${versions[1]?.id}`, { condition }));
    expect(await lookUp('/manual/v2/install', pro)).toBe('/manual/next/install');
    expect(await lookUp('/manual/v2/install')).toBe(`${root()}/manual/v2/install`);
    await expectOk(admin.patch(`${at}/sections/${guides}`, { condition }));
    expect(await lookUp('/guides/install', pro)).toBe('/manual/install');
    expect(await lookUp('/guides/install')).toBe(`${root()}/guides/install`);
    await expectOk(admin.patch(`${at}/sections/${guides}`, { condition: null, draft: true }));
    expect(await lookUp('/guides/install', pro)).toBe(`${root()}/guides/install`);
  });

  test('the last 20 paths of a section are known', async () => {
    for (let index = 0; index < 21; index++) await renameSection(`path-${index}`);
    expect(await open('/guides/install')).toBe(404);
    expect(await open('/path-0/install')).toBe('/path-20/install');
  });
});
