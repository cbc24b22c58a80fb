import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, buildSpace, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
/** A section group within another one, with the section of the scene in it. */
let groups: { outer: string; inner: string };
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  const { admin, at, section } = scene;
  const outer = (await expectOk(admin.post(`${at}/section-groups`, { title: 'Outer' }))).id;
  const inner = { title: 'Inner', parent: outer, sections: [section] };
  groups = { outer, inner: (await expectOk(admin.post(`${at}/section-groups`, inner))).id };
});

/** Everything that can be a draft; each contains the site's only space. */
const DRAFTS: Record<string, () => string> = {
  'a site space': () => `site-spaces/${scene.siteSpace}`,
  'a section': () => `sections/${scene.section}`,
  'a group': () => `section-groups/${groups.inner}`,
  'a group of groups': () => `section-groups/${groups.outer}`,
};

const resolve = async (): Promise<number> => {
  const { urls } = await expectOk(scene.admin.get(scene.at));
  return (await scene.admin.post('/urls/published', { url: urls.published })).status;
};

/** The parts of the site that a visitor is shown. */
async function shownTo(visitor: Client) {
  const published = await expectOk(visitor.get(`${scene.at}/published`));
  return {
    structure: published.structure.structure.length,
    siteSpaces: published.site.siteSpaces,
    counted: (await expectOk(visitor.get(scene.at))).siteSpaces,
    listed: (await expectOk(visitor.get(`${scene.at}/site-spaces`))).count,
    sections: (await expectOk(visitor.get(`${scene.at}/sections`))).count,
    space: (await visitor.get(scene.space.at)).status,
    content: (await visitor.get(`${scene.space.at}/content`)).status,
    redirect: (await visitor.get(`${scene.at}/redirect?source=/old`)).status,
    toSection: (await visitor.get(`${scene.at}/redirect?source=/old-section`)).status,
    address: await resolve(),
  };
}

const ALL = {
  structure: 1,
  siteSpaces: 1,
  counted: 1,
  listed: 1,
  sections: 1,
  space: 200,
  content: 200,
  redirect: 200,
  toSection: 200,
  address: 200,
};
const NOTHING = {
  structure: 0,
  siteSpaces: 0,
  counted: 0,
  listed: 0,
  sections: 0,
  space: 404,
  content: 404,
  redirect: 404,
  toSection: 404,
  address: 404,
};

describe.for(Object.keys(DRAFTS))('%s that is a draft', (what) => {
  test('a draft is shown to members, and to visitors only once it is live', async () => {
    const { admin, at, section: siteSectionId, siteSpace: siteSpaceId } = scene;
    const redirects = `${at}/redirects`;
    const toSpace = { kind: 'site-space', siteSpaceId };
    const toSection = { kind: 'site-section', siteSectionId };
    await expectOk(admin.post(redirects, { source: '/old', destination: toSpace }));
    await expectOk(admin.post(redirects, { source: '/old-section', destination: toSection }));
    const visitor = await scene.visitor();
    expect(await shownTo(visitor)).toEqual(ALL);

    const one = `${at}/${DRAFTS[what]?.()}`;
    expect(await expectOk(admin.patch(one, { draft: true }))).toMatchObject({ draft: true });
    expect(await shownTo(visitor)).toEqual(NOTHING);
    const [siteSpace] = (await expectOk(admin.get(`${at}/site-spaces`))).items;
    expect(siteSpace).toMatchObject({ id: siteSpaceId, urls: {} });
    expect(siteSpace.urls).not.toHaveProperty('published');

    // It stays a draft when other fields are changed.
    if (what !== 'a site space') await expectOk(admin.patch(one, { title: 'Renamed' }));
    expect(await shownTo(visitor)).toEqual(NOTHING);
    expect(await expectOk(admin.patch(one, { draft: false }))).toMatchObject({ draft: false });
    expect(await shownTo(visitor)).toEqual(ALL);
  });
});

test('visitors get the next section instead of a default section that is a draft', async () => {
  const { admin, at, organization, section } = scene;
  const other = await buildSpace(admin, organization);
  const next = await expectOk(admin.post(`${at}/sections`, { spaceId: other.id, title: 'Other' }));
  await expectOk(admin.patch(`${at}/sections/${section}`, { draft: true }));
  const visitor = await scene.visitor();
  const { items } = await expectOk(visitor.get(`${at}/sections`));
  expect(items).toMatchObject([{ id: next.id, default: true, draft: false }]);
  const { urls } = await expectOk(admin.get(at));
  const found = await expectOk(admin.post('/urls/published', { url: urls.published }));
  expect(found.space).toBe(other.id);
  const named = await admin.post('/urls/published', { url: `${urls.published}guides/start` });
  expect(named.body.space).not.toBe(scene.space.id);
});

test('site spaces, sections and groups can be added to a site as drafts', async () => {
  const { admin, at, organization, section } = scene;
  const visitor = await scene.visitor();
  const spaces = [await buildSpace(admin, organization), await buildSpace(admin, organization)] as const;
  const [inSection, ofSection] = spaces.map(({ id }) => ({ spaceId: id, draft: true }));
  const added = [
    await expectOk(admin.post(`${at}/site-spaces`, { ...inSection, sectionId: section })),
    await expectOk(admin.post(`${at}/sections`, { ...ofSection, title: 'Later' })),
    await expectOk(admin.post(`${at}/section-groups`, { title: 'Later', draft: true })),
  ];
  expect(added).toMatchObject([{ draft: true }, { draft: true }, { draft: true }]);
  for (const space of spaces) expect((await visitor.get(space.at)).status).toBe(404);
  expect((await expectOk(visitor.get(`${at}/site-spaces`))).count).toBe(1);
});

test.for(['site-spaces', 'sections', 'section-groups'])(
  'the draft field of %s must be a boolean',
  async (kind) => {
    const ids: Record<string, string> = {
      'site-spaces': scene.siteSpace,
      sections: scene.section,
      'section-groups': groups.inner,
    };
    for (const draft of [null, 'true', 1])
      expect((await scene.admin.patch(`${scene.at}/${kind}/${ids[kind]}`, { draft })).status).toBe(400);
  },
);
