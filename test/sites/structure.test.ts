import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lockSite } from '../../routers/audience/lock.operation.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { at, type Item, sort, startOn, structureOf } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const start = () => startOn(service);

test('a site without sections shows its spaces, the first as the default', async () => {
  const here = await start();
  expect(await structureOf(here)).toBe('siteSpaces: ');
  for (const title of ['One', 'Two', 'Three'])
    await here.me.post(`${here.site}/site-spaces`, { spaceId: await here.space(title) });
  expect(await structureOf(here)).toBe('siteSpaces: One* Two Three');
  expect((await here.me.get(here.site)).body.siteSpaces).toBe(3);
});

test('the spaces of a site without sections become the first section when another one is added', async () => {
  const here = await start();
  for (const title of ['One', 'Two'])
    await here.me.post(`${here.site}/site-spaces`, { spaceId: await here.space(title) });
  await here.group('Group');
  expect(await structureOf(here)).toBe('siteSpaces: One* Two');
  await here.section('Three');
  expect(await structureOf(here)).toBe('sections: Group[] One*(One* Two) Three');
  const added = await here.me.post(`${here.site}/site-spaces`, { spaceId: await here.space('Four') });
  expect(added.status).toBe(201);
  expect(await structureOf(here)).toBe('sections: Group[] One*(One* Two Four) Three');
});

describe('a section', () => {
  test('a section gets its title and path from the space, and keeps the path', async () => {
    const { me, site, space } = await start();
    const spaceId = await space('Guides & more');
    const { body } = await me.post(`${site}/sections`, { spaceId, icon: 'book' });
    expect(body).toMatchObject({
      object: 'site-section',
      title: 'Guides & more',
      path: 'guides-and-more',
      icon: 'book',
      default: true,
      siteSpaces: [{ section: body.id, space: { id: spaceId }, path: 'guides-and-more', default: true }],
    });
    const changes = { title: 'Manuals', description: 'All of them.', icon: null };
    const changed = await me.patch(`${site}/sections/${body.id}`, changes);
    expect(changed.body).toMatchObject({
      title: 'Manuals',
      description: 'All of them.',
      path: 'guides-and-more',
    });
    expect(changed.body.icon).toBeUndefined();
    expect((await me.patch(`${site}/sections/${body.id}`, {})).body).toEqual(changed.body);
  });

  test.each(['', 'A'])(
    'made for a space of the title "%s" has a title that is long enough',
    async (title) => {
      const { me, site, space } = await start();
      const { status, body } = await me.post(`${site}/sections`, { spaceId: await space(title) });
      expect(status).toBe(201);
      expect(body.title).toBe(`Section ${title}`.trim());
    },
  );

  test('a section has a unique path, whatever its title', async () => {
    const { me, site, space } = await start();
    const long = 'x'.repeat(128);
    const paths = new Set<string>();
    for (const title of ['Same', 'Same', 'Same', '🎈🎈', '🎈🎈', long, long]) {
      const { body } = await me.post(`${site}/sections`, { spaceId: await space('Space'), title });
      paths.add(body.path);
    }
    expect([...paths].slice(0, 3)).toEqual(['same', 'same-1', 'same-2']);
    expect(paths.size).toBe(7);
    for (const path of paths) expect(path.length).toBeLessThanOrEqual(100);
  });

  test.for([
    { path: '' },
    { path: 'a/b' },
    { path: '.' },
    { path: '..' },
    { path: '🎈' },
    { path: '~' },
    { path: 'v2.md' },
    { path: 'robots.txt' },
    { path: 'feed.xml' },
    { path: 'a b' },
    { path: 'x'.repeat(101) },
    { title: 'x' },
    { title: null },
    { icon: 'x'.repeat(51) },
    { icon: '"><script>' },
    { description: 'x'.repeat(257) },
    { condition: 'x'.repeat(1025) },
    { condition: '' },
    { condition: 'alert()' },
    { condition: 'visitor.claims.constructor' },
  ])('a section refuses %j', async (body) => {
    const here = await start();
    const section = `${here.site}/sections/${await here.section('Section')}`;
    expect((await here.me.patch(section, body)).status).toBe(400);
  });

  test('a section cannot have the path of another one, except on another site', async () => {
    const here = await start();
    await here.section('One');
    const two = `${here.site}/sections/${await here.section('Two')}`;
    expect((await here.me.patch(two, { path: 'one' })).status).toBe(409);
    expect((await here.me.patch(two, { path: 'two' })).status).toBe(200);
    expect((await here.me.patch(two, { path: 'Zwei' })).body.path).toBe('Zwei');
  });

  test('a section can have a condition on claims that the site declares', async () => {
    const here = await start();
    const section = `${here.site}/sections/${await here.section('Section')}`;
    const condition = 'visitor.claims.isBeta';
    expect((await here.me.patch(section, { condition })).body.condition).toBe(condition);
    expect((await here.me.patch(section, { title: 'Other' })).body.condition).toBe(condition);
    expect((await here.me.patch(section, { condition: null })).body.condition).toBeUndefined();
  });

  test('a section cannot get a condition on a claim that was removed from the schema meanwhile', async () => {
    const here = await start();
    const section = `${here.site}/sections/${await here.section('Section')}`;
    const schemaOf = (claim: string) => ({
      type: 'object',
      properties: { [claim]: { type: 'boolean' } },
      additionalProperties: false,
    });
    await here.me.put(`${here.site}/adaptive-schema`, { jsonSchema: schemaOf('isBeta') });
    const { database } = service.runtime;
    const { changed } = await database.transaction(async (em) => {
      const id = here.site.split('/').at(-1) as string;
      em.assign(await lockSite(em, id), { adaptiveSchema: schemaOf('isPro') });
      await em.flush();
      const changed = here.me.patch(section, { condition: 'visitor.claims.isBeta' });
      await untilBlocked((statement) => sql.raw(statement).execute(database.db));
      return { changed };
    });
    expect((await changed).status).toBe(400);
  });

  test('deleting a section deletes its site spaces, and another section becomes the default', async () => {
    const here = await start();
    const [one, two] = [await here.section('One'), await here.section('Two')];
    await here.section('Three');
    await here.me.post(`${here.site}/site-spaces`, { spaceId: await here.space('More'), sectionId: one });
    await here.group('Group', { sections: [two] });
    expect((await here.me.delete(`${here.site}/sections/${one}`)).status).toBe(205);
    expect((await here.me.delete(`${here.site}/sections/${one}`)).status).toBe(204);
    expect(await structureOf(here)).toBe('sections: Three* Group[Two]');
    expect((await here.me.get(here.site)).body.siteSpaces).toBe(2);
  });

  test('a section can lose its last site space, and get another one', async () => {
    const here = await start();
    const id = await here.section('One');
    const { items } = (await here.me.get(`${here.site}/site-spaces`)).body;
    expect((await here.me.delete(`${here.site}/site-spaces/${items[0].id}`)).status).toBe(205);
    expect(await structureOf(here)).toBe('sections: One*');
    const spaceId = await here.space('Two');
    const added = await here.me.post(`${here.site}/site-spaces`, { spaceId, sectionId: id });
    expect(added.body).toMatchObject({ section: id, default: true });
  });
});

describe('the default', () => {
  test('the default is chosen among sections, and among the site spaces of one', async () => {
    const here = await start();
    const { me, site } = here;
    const [one, two] = [await here.section('One'), await here.section('Two')];
    const { body } = await me.post(`${site}/site-spaces`, {
      spaceId: await here.space('Neu'),
      sectionId: two,
    });
    expect((await me.patch(`${site}/sections/${two}`, { defaultSiteSpace: body.id })).status).toBe(200);
    expect(await structureOf(here)).toBe('sections: One* Two(Two Neu*)');
    expect((await me.patch(site, { defaultSiteSection: two })).status).toBe(200);
    expect(await structureOf(here)).toBe('sections: One Two*(Two Neu*)');
    const [first] = (await me.get(`${site}/site-spaces?default=false`)).body.items;
    expect((await me.patch(site, { defaultSiteSpace: first.id })).status).toBe(200);
    expect(await structureOf(here)).toBe('sections: One Two*(Two* Neu)');
    expect((await me.patch(`${site}/sections/${one}`, { defaultSiteSpace: body.id })).status).toBe(404);
    expect((await me.delete(`${site}/site-spaces/${first.id}`)).status).toBe(205);
    expect(await structureOf(here)).toBe('sections: One Two*');
  });

  test('the list of site spaces can be filtered by default', async () => {
    const here = await start();
    for (const title of ['One', 'Two', 'Three'])
      await here.me.post(`${here.site}/site-spaces`, { spaceId: await here.space(title) });
    const list = async (query: string) =>
      (await here.me.get(`${here.site}/site-spaces${query}`)).body.items.map(({ title }: Item) => title);
    expect(await list('?default=true')).toEqual(['One']);
    expect(await list('?default=false')).toEqual(['Two', 'Three']);
    expect(await list('')).toEqual(['One', 'Two', 'Three']);
  });
});

test('lists are in reading order, and have each item once even if others are added and removed meanwhile', async () => {
  const here = await start();
  const sections: string[] = [];
  for (const title of ['A', 'B', 'C', 'D', 'E', 'F']) sections.push(await here.section(`${title}${title}`));
  const [a, b, c, d] = sections as [string, string, string, string];
  await here.group('Group', { sections: [d, a] });
  await sort(here, 'section', sections[4] as string);
  const seen: string[] = [];
  let query = '?limit=2';
  for (let page = 0; query; page++) {
    const { body } = await here.me.get(`${here.site}/sections${query}`);
    seen.push(...body.items.map(({ title }: Item) => title));
    query = body.next && `?limit=2&page=${encodeURIComponent(body.next.page)}`;
    // The last item of the page is removed, and others are added before and after it.
    if (page === 0) {
      await here.me.delete(`${here.site}/sections/${c}`);
      const { body: added } = await here.me.post(`${here.site}/sections`, {
        spaceId: await here.space('New'),
      });
      await sort(here, 'section', added.id, { before: at('section', b) });
    }
  }
  expect(seen).toEqual(['BB', 'CC', 'FF', 'DD', 'AA', 'EE']);
});

/** The number of statements that are sent while something runs: the least of three times, because jobs may run beside it. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const executor = Object.getPrototypeOf(service.runtime.database.db.getExecutor());
  const counts: number[] = [];
  for (let time = 0; time < 3; time++) {
    const send = vi.spyOn(executor, 'executeQuery');
    try {
      await work();
      counts.push(send.mock.calls.length);
    } finally {
      send.mockRestore();
    }
  }
  return Math.min(...counts);
}

test('the structure is read in four statements, whatever its size', async () => {
  const here = await start();
  const group = await here.group('Group');
  for (const title of ['One', 'Two', 'Three', 'Four']) {
    const sectionId = await here.section(title);
    const spaceId = await here.space(`${title} again`);
    await here.me.post(`${here.site}/site-spaces`, { spaceId, sectionId });
    await here.me.post(`${here.site}/section-groups/${group}/sections`, { sectionId });
    for (const list of ['structure', 'sections', 'section-groups', 'site-spaces'])
      expect(await statementsOf(() => here.me.get(`${here.site}/${list}`))).toBeLessThanOrEqual(4);
  }
});
