import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../server/http/openapi.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { at, sort, startOn, structureOf } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const start = () => startOn(service);

describe('moving', () => {
  test('an item is moved next to another one, under the same parent', async () => {
    const here = await start();
    const [one, two, three] = [
      await here.section('One'),
      await here.section('Two'),
      await here.section('Three'),
    ];
    const group = await here.group('Group', { sections: [three] });
    expect((await sort(here, 'section', two, { before: at('section', one) })).status).toBe(200);
    expect(await structureOf(here)).toBe('sections: Two One* Group[Three]');
    const moved = await sort(here, 'section', one, { after: at('section', three) });
    expect(moved.body).toMatchObject({ id: one, sectionGroup: group });
    expect(await structureOf(here)).toBe('sections: Two Group[Three One*]');
    await sort(here, 'section-group', group, { before: at('section', two) });
    expect(await structureOf(here)).toBe('sections: Group[Three One*] Two');
    await sort(here, 'section', three);
    expect(await structureOf(here)).toBe('sections: Group[One*] Two Three');
    const between = { after: at('section-group', group), before: at('section', two) };
    expect((await sort(here, 'section', three, between)).status).toBe(200);
    expect(await structureOf(here)).toBe('sections: Group[One*] Three Two');
  });

  test('a site space is moved to another section, where its path must be free', async () => {
    const here = await start();
    const { me, site } = here;
    const [one, two] = [await here.section('One'), await here.section('Two')];
    const [first, second] = (await me.get(`${site}/site-spaces`)).body.items;
    const moved = await sort(here, 'space', first.id, { after: at('space', second.id) });
    expect(moved.body).toMatchObject({ section: two, default: false });
    expect(await structureOf(here)).toBe('sections: One* Two(Two* One)');
    const { body } = await me.post(`${site}/site-spaces`, {
      spaceId: await here.space('Two'),
      sectionId: one,
    });
    expect((await sort(here, 'space', body.id, { before: at('space', second.id) })).status).toBe(409);
    expect(await structureOf(here)).toBe('sections: One* Two(Two* One)');
  });

  test('moves that are invalid, or change nothing, are refused', async () => {
    const here = await start();
    const elsewhere = await start();
    const foreign = await elsewhere.section('Foreign');
    const [one, two] = [await here.section('One'), await here.section('Two')];
    const outer = await here.group('Outer');
    const inner = await here.group('Inner', { parent: outer, sections: [two] });
    const [siteSpace] = (await here.me.get(`${here.site}/site-spaces`)).body.items;
    const before = await structureOf(here);
    const refusals: [Promise<{ status: number }>, number][] = [
      [sort(here, 'section', one, { before: at('section', one) }), 400],
      [sort(here, 'section', one, { before: at('section', foreign) }), 400],
      [sort(here, 'section', one, { before: at('space', siteSpace.id) }), 400],
      [sort(here, 'space', siteSpace.id, { before: at('section', one) }), 400],
      [sort(here, 'section-group', outer, { before: at('section-group', outer) }), 400],
      [sort(here, 'section-group', outer, { before: at('section-group', inner) }), 400],
      [sort(here, 'section-group', outer, { after: at('section', two) }), 400],
      [sort(here, 'section', one, { after: at('section', two), before: at('section-group', outer) }), 400],
      [sort(here, 'section', foreign, {}), 404],
      [sort(here, 'section-group', one, {}), 404],
      [sort(here, 'section', one, { before: at('section-group', outer) }), 409],
      [sort(here, 'section', two, { before: at('page', one) }), 400],
    ];
    for (const [response, status] of refusals) expect((await response).status).toBe(status);
    expect(await structureOf(here)).toBe(before);
  });

  test('the separate operations for moving are deprecated, and say so', async () => {
    const here = await start();
    const { me, site } = here;
    const [one, two] = [await here.section('One'), await here.section('Two')];
    const group = await here.group('Group');
    const position = { before: { type: 'site-section', siteSection: one } };
    const moved = await me.post(`${site}/sections/${two}/move`, { position });
    expect(moved).toMatchObject({ status: 200, headers: { deprecation: 'true' } });
    expect(await structureOf(here)).toBe('sections: Two One* Group[]');
    expect((await me.post(`${site}/sections/${two}/move`)).status).toBe(200);
    expect(await structureOf(here)).toBe('sections: One* Group[] Two');
    const first = { before: { type: 'site-section', id: one } };
    const movedGroup = await me.post(`${site}/section-groups/${group}/move`, { position: first });
    expect(movedGroup).toMatchObject({ status: 200, headers: { deprecation: 'true' } });
    expect(await structureOf(here)).toBe('sections: Group[] One* Two');
    const { body } = await me.post(`${site}/site-spaces`, {
      spaceId: await here.space('Neu'),
      sectionId: one,
    });
    const [old] = (await me.get(`${site}/site-spaces?default=true`)).body.items;
    const beside = { before: { type: 'site-space', siteSpace: old.id } };
    const movedSpace = await me.post(`${site}/site-spaces/${body.id}/move`, { position: beside });
    expect(movedSpace).toMatchObject({ status: 200, headers: { deprecation: 'true' } });
    expect(await structureOf(here)).toBe('sections: Group[] One*(Neu One*) Two');
    const moves = Object.entries(openApiDocument('http://docs.test').paths).filter(([path]) =>
      /sites.*[/]move$/.test(path),
    );
    expect(moves).toHaveLength(3);
    for (const [, operations] of moves) expect(operations.post).toMatchObject({ deprecated: true });
  });
});

test('the space of a site space can be replaced', async () => {
  const { me, site, space } = await start();
  const first = await space('First');
  const { body } = await me.post(`${site}/site-spaces`, { spaceId: first });
  await me.post(`${site}/site-spaces`, { spaceId: await space('Other') });
  const at = `${site}/site-spaces/${body.id}`;
  const spaceId = await space('Second');
  expect((await me.patch(at, { spaceId })).body).toEqual({
    ...body,
    title: 'Second',
    space: expect.objectContaining({ id: spaceId }),
  });
  expect((await me.patch(at, { path: 'v2' })).body.path).toBe('v2');
  expect((await me.patch(at, { path: 'other' })).status).toBe(409);
  expect((await me.patch(at, { path: '../v2' })).status).toBe(400);
  for (const condition of ['a.b()', '1 + 1']) expect((await me.patch(at, { condition })).status).toBe(400);
  const condition = 'visitor.claims.isBeta';
  expect((await me.patch(at, { condition })).body.condition).toBe(condition);
  expect((await me.patch(at, { condition: null })).body.condition).toBeUndefined();
});

test('a space is on a site only once', async () => {
  const { me, site, space } = await start();
  const [one, two] = [await space('One'), await space('Two')];
  const { body } = await me.post(`${site}/site-spaces`, { spaceId: one });
  await me.post(`${site}/site-spaces`, { spaceId: two });
  expect((await me.post(`${site}/site-spaces`, { spaceId: one })).status).toBe(409);
  expect((await me.post(`${site}/sections`, { spaceId: one })).status).toBe(409);
  expect((await me.patch(`${site}/site-spaces/${body.id}`, { spaceId: two })).status).toBe(409);
  expect(await structureOf({ me, site })).toBe('siteSpaces: One* Two');
});

test('site spaces that the caller may not view are hidden', async () => {
  const { organization, me, site } = await start();
  const open = await service.build.space(organization, { title: 'Open' });
  const closed = await service.build.space(organization, { title: 'Closed', defaultLevel: null });
  for (const { id } of [closed, open]) await me.post(`${site}/sections`, { spaceId: id });
  const reader = service.as((await service.build.member(organization, 'read')).token);
  expect(await structureOf({ me, site })).toBe('sections: Closed* Open');
  // The default is another section, which they do not see.
  expect(await structureOf({ me: reader, site })).toBe('sections: Open');
  for (const list of ['sections', 'site-spaces']) {
    expect((await reader.get(`${site}/${list}`)).body).toMatchObject({
      count: 1,
      items: [{ title: 'Open' }],
    });
  }
});
