import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSessionFor } from '../auth/browser.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { at, type Item, type Start, sort, startOn, structureOf } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Member extends Start {
  reader: Client;
  readerId: string;
}

/** A site, and a member of its organization. */
async function startWithMember(): Promise<Member> {
  const here = await startOn(service);
  const { id: readerId, token } = await service.build.member(here.organization, 'read');
  return { ...here, reader: service.as(token), readerId };
}

const hide = (here: Start, space: string) =>
  expectOk(here.me.patch(`/spaces/${space}`, { defaultLevel: null }));

const rootOf = ({ site }: Start) => `http://docs.test/sites/${site.split('/').at(-1)}`;

const list = async (client: Client, { site }: Start, path: string) =>
  (await expectOk(client.get(site + path))).items.map((one: Item & { urls: { published?: string } }) => [
    one.title,
    one.default,
    one.urls.published?.slice(rootOf({ site } as Start).length),
  ]);

test('a member who may not view the default space sees no default, and the addresses that the site has', async () => {
  const here = await startWithMember();
  const secret = await here.space('Secret');
  for (const spaceId of [secret, await here.space('Open')])
    await expectOk(here.me.post(`${here.site}/site-spaces`, { spaceId }));
  await hide(here, secret);
  expect(await list(here.reader, here, '/site-spaces')).toEqual([['Open', false, '/open']]);
  expect(await list(here.reader, here, '/site-spaces?default=true')).toEqual([]);
  expect(await structureOf({ me: here.reader, site: here.site })).toBe('siteSpaces: Open');
  expect(await list(here.me, here, '/site-spaces')).toEqual([
    ['Secret', true, ''],
    ['Open', false, '/open'],
  ]);
  const { structure } = await expectOk(here.reader.get(`${here.site}/published`));
  const { space } = (
    await service.as().post('/urls/published', { url: structure.structure[0].urls.published })
  ).body;
  expect(space).toBe(structure.structure[0].space.id);
});

test('a member who may not view all spaces of the default section sees it as the default, or no default', async () => {
  const here = await startWithMember();
  const [home, news] = [await here.section('Home'), await here.section('News')];
  const variant = await here.space('Variant');
  await expectOk(here.me.post(`${here.site}/site-spaces`, { spaceId: variant, sectionId: home }));
  const [first] = (await expectOk(here.me.get(`${here.site}/site-spaces`))).items;
  const sections = () => list(here.reader, here, '/sections');
  await hide(here, first.space.id);
  expect(await structureOf({ me: here.reader, site: here.site })).toBe('sections: Home* News');
  expect(await list(here.reader, here, '/site-spaces')).toEqual([
    ['Variant', false, '/variant'],
    ['News', true, '/news'],
  ]);
  await hide(here, variant);
  expect(await sections()).toEqual([['News', false, '/news']]);
  // As on the site, a section that visitors do not see is no default.
  await expectOk(here.me.delete(`/spaces/${first.space.id}`));
  await expectOk(here.me.delete(`/spaces/${variant}`));
  expect(await sections()).toEqual([['News', true, '']]);
  expect((await service.as().post('/urls/published', { url: rootOf(here) })).body.siteSection).toBe(news);
});

test('the preview of a site shows a member the first space that they may view in place of the default', async () => {
  const here = await startWithMember();
  const secret = await here.space('Secret');
  for (const spaceId of [secret, await here.space('Open')])
    await expectOk(here.me.post(`${here.site}/site-spaces`, { spaceId }));
  await hide(here, secret);
  const { cookie } = await openSessionFor(service, here.readerId);
  for (const path of ['', '/open'])
    expect(
      (
        await service.app.inject({
          url: `/preview${here.site}${path}`,
          headers: { cookie, host: 'docs.test' },
        })
      ).statusCode,
    ).toBe(200);
});

test('a site admin can neither make the site space of a hidden or deleted space the default, nor place others beside it', async () => {
  const here = await startWithMember();
  const { me, reader, site } = here;
  const siteId = site.split('/').at(-1) as string;
  await service.build.grant(here.organization, { user: here.readerId, site: siteId, role: 'admin' });
  const [open, secret, deleted] = [
    await here.space('Open'),
    await here.space('Secret'),
    await here.space('Deleted'),
  ];
  const ids: string[] = [];
  for (const spaceId of [open, secret, deleted])
    ids.push((await expectOk(me.post(`${site}/site-spaces`, { spaceId }))).id);
  await hide(here, secret);
  await expectOk(me.delete(`/spaces/${deleted}`));
  const [moved = '', ...others] = ids;
  for (const id of [...others, 'x'.repeat(20)]) {
    const position = { before: { type: 'site-space', siteSpace: id } };
    const tried = [
      await reader.patch(site, { defaultSiteSpace: id }),
      await reader.post(`${site}/site-spaces/${moved}/move`, { position }),
      await sort({ ...here, me: reader }, 'space', moved, { after: at('space', id) }),
    ];
    expect(tried.map(({ status }) => status)).toEqual([404, 400, 400]);
  }
  await expectOk(me.patch(site, { defaultSiteSpace: others[0] }));
});
