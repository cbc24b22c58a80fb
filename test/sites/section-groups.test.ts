import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { at, sort, startOn, structureOf } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const start = () => startOn(service);

test('groups contain sections and groups, and are listed with their contents', async () => {
  const here = await start();
  const [one, two] = [await here.section('One'), await here.section('Two')];
  const outer = await here.group('Outer', { sections: [two], icon: 'folder' });
  const inner = await here.group('Inner', { parent: outer, sections: [one] });
  expect(await structureOf(here)).toBe('sections: Outer[Two Inner[One*]]');
  const { items, count } = (await here.me.get(`${here.site}/section-groups`)).body;
  expect(count).toBe(2);
  expect(items).toMatchObject([
    { id: outer, icon: 'folder', sections: [{ id: two }], children: [{ id: two }, { id: inner }] },
    { id: inner, sectionGroup: outer, children: [{ id: one, sectionGroup: inner }] },
  ]);
  const { body } = await here.me.patch(`${here.site}/section-groups/${inner}`, {
    title: 'Deep',
    icon: 'x',
  });
  expect(body).toMatchObject({ title: 'Deep', icon: 'x', sectionGroup: outer });
});

test('sections are moved into a group, and out of it directly after the group', async () => {
  const here = await start();
  const [one, two] = [await here.section('One'), await here.section('Two')];
  const outer = await here.group('Outer');
  const inner = await here.group('Inner', { parent: outer });
  await here.group('Last', { parent: outer });
  const members = `${here.site}/section-groups/${inner}/sections`;
  expect((await here.me.post(members, { sectionId: one })).status).toBe(201);
  expect((await here.me.post(members, { sectionId: one })).status).toBe(409);
  expect((await here.me.post(members, { sectionId: inner })).status).toBe(404);
  expect(await structureOf(here)).toBe('sections: Two Outer[Inner[One*] Last[]]');
  expect((await here.me.delete(`${members}/${two}`)).status).toBe(204);
  expect((await here.me.delete(`${members}/${one}`)).status).toBe(205);
  expect(await structureOf(here)).toBe('sections: Two Outer[Inner[] One* Last[]]');
});

test('the contents of a deleted group take its place', async () => {
  const here = await start();
  const sections = [await here.section('One'), await here.section('Two')];
  await here.section('Three');
  const group = await here.group('Group', { sections });
  const inner = await here.group('Inner', { parent: group });
  await here.group('Last');
  await sort(here, 'section-group', inner, { before: at('section', sections[1] as string) });
  expect(await structureOf(here)).toBe('sections: Three Group[One* Inner[] Two] Last[]');
  expect((await here.me.delete(`${here.site}/section-groups/${group}`)).status).toBe(205);
  expect(await structureOf(here)).toBe('sections: Three One* Inner[] Two Last[]');
});

test.for([{ title: '' }, { title: 'x'.repeat(101) }, { icon: 'x'.repeat(51) }, {}])(
  'groups refuse %j',
  async (body) => {
    const here = await start();
    expect((await here.me.post(`${here.site}/section-groups`, body)).status).toBe(400);
  },
);

test('groups can be nested 100 levels deep', async () => {
  const here = await start();
  const section = await here.section('One');
  let parent: string | undefined;
  let top = '';
  for (let depth = 1; depth <= 100; depth++) {
    parent = await here.group(`Group ${depth}`, { parent });
    top ||= parent;
  }
  expect((await here.me.post(`${here.site}/section-groups`, { title: 'Deeper', parent })).status).toBe(400);
  await here.me.post(`${here.site}/section-groups/${parent}/sections`, { sectionId: section });
  const other = await here.group('Other');
  const inOther = await here.group('In it', { parent: other });
  expect((await sort(here, 'section-group', top, { after: at('section-group', inOther) })).status).toBe(400);
  const { status, body } = await here.me.get(`${here.site}/section-groups?limit=1000`);
  expect([status, body.count]).toEqual([200, 102]);
  expect(body.items.length).toBeLessThan(102);
  expect(body.next).toBeDefined();
});
