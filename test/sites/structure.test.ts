import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../server/openapi.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Start {
  organization: string;
  me: Client;
  site: string;
  space(title: string): Promise<string>;
  section(title: string): Promise<string>;
  group(title: string, more?: object): Promise<string>;
}

/** A site with nothing on it, and how to add to it. */
async function start(): Promise<Start> {
  const { id: organization, admin } = await service.build.organization();
  const me = service.as(admin.token);
  const site = `/orgs/${organization}/sites/${(await service.build.site(organization)).id}`;
  const space = async (title: string) => (await service.build.space(organization, { title })).id;
  const section = async (title: string) => {
    const { status, body } = await me.post(`${site}/sections`, { spaceId: await space(title) });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id as string;
  };
  const group = async (title: string, more: object = {}) => {
    const { status, body } = await me.post(`${site}/section-groups`, { title, ...more });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id as string;
  };
  return { organization, me, site, space, section, group };
}

interface Item {
  object: string;
  title: string;
  default?: boolean;
  children?: Item[];
  siteSpaces?: Item[];
}

/** The structure as text: groups in brackets, defaults with a star, variants in parentheses. */
const textOf = (items: Item[]): string =>
  items
    .map(({ title, default: isDefault, children, siteSpaces }) => {
      const star = isDefault ? '*' : '';
      if (children) return `${title}[${textOf(children)}]`;
      return `${title}${star}${siteSpaces && siteSpaces.length > 1 ? `(${textOf(siteSpaces)})` : ''}`;
    })
    .join(' ');

const structureOf = async ({ me, site }: Pick<Start, 'me' | 'site'>) => {
  const { body } = await me.get(`${site}/structure`);
  return `${body.type}: ${textOf(body.structure)}`;
};

const sort = ({ me, site }: Start, type: string, id: string, position: object = {}) =>
  me.patch(`${site}/structure/sort`, { item: { type: `site-${type}`, id }, position });
const at = (type: string, id: string) => ({ type: `site-${type}`, id });

describe('a site without sections', () => {
  test('shows its spaces, the first as the default', async () => {
    const here = await start();
    expect(await structureOf(here)).toBe('siteSpaces: ');
    for (const title of ['One', 'Two', 'Three'])
      await here.me.post(`${here.site}/site-spaces`, { spaceId: await here.space(title) });
    expect(await structureOf(here)).toBe('siteSpaces: One* Two Three');
    expect((await here.me.get(here.site)).body.siteSpaces).toBe(3);
  });

  test('makes its spaces the first section when it gets another one', async () => {
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
});

describe('a section', () => {
  test('takes its title and its path from the space, and keeps the path', async () => {
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

  test('has a path of its own, whatever its title', async () => {
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
  ])('refuses %j', async (body) => {
    const here = await start();
    const section = `${here.site}/sections/${await here.section('Section')}`;
    expect((await here.me.patch(section, body)).status).toBe(400);
  });

  test('refuses the path of another one, and takes that of another site', async () => {
    const here = await start();
    await here.section('One');
    const two = `${here.site}/sections/${await here.section('Two')}`;
    expect((await here.me.patch(two, { path: 'one' })).status).toBe(409);
    expect((await here.me.patch(two, { path: 'two' })).status).toBe(200);
    expect((await here.me.patch(two, { path: 'Zwei' })).body.path).toBe('Zwei');
  });

  test('has a condition on claims that the site knows', async () => {
    const here = await start();
    const section = `${here.site}/sections/${await here.section('Section')}`;
    const condition = 'visitor.claims.isBeta';
    expect((await here.me.patch(section, { condition })).body.condition).toBe(condition);
    expect((await here.me.patch(section, { title: 'Other' })).body.condition).toBe(condition);
    expect((await here.me.patch(section, { condition: null })).body.condition).toBeUndefined();
  });

  test('goes with its site spaces, and hands the default on', async () => {
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

  test('can lose its last site space, and get another one', async () => {
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
  test('is chosen among sections, and among the site spaces of one', async () => {
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

  test('filters the list of site spaces', async () => {
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

describe('groups', () => {
  test('hold sections and groups, and are listed with everything in them', async () => {
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

  test('take sections in and let them out, right behind', async () => {
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

  test('leave what is in them in their place', async () => {
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
    'refuse %j',
    async (body) => {
      const here = await start();
      expect((await here.me.post(`${here.site}/section-groups`, body)).status).toBe(400);
    },
  );

  test('nest 100 levels deep', async () => {
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
    expect((await sort(here, 'section-group', top, { after: at('section-group', inOther) })).status).toBe(
      400,
    );
    const { status, body } = await here.me.get(`${here.site}/section-groups?limit=1000`);
    expect([status, body.count]).toEqual([200, 102]);
    expect(body.items.length).toBeLessThan(102);
    expect(body.next).toBeDefined();
  });
});

describe('moving', () => {
  test('puts an item next to another one, into whatever that is in', async () => {
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

  test('takes a site space to another section, where it needs its path', async () => {
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

  test('refuses what makes no sense, and what changes nothing', async () => {
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
    for (const [answer, status] of refusals) expect((await answer).status).toBe(status);
    expect(await structureOf(here)).toBe(before);
  });

  test('by its own operations is deprecated, and says so', async () => {
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

describe('site spaces', () => {
  test('show another space in the same place', async () => {
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
    expect((await me.patch(at, { condition: 'a.b()' })).status).toBe(400);
    const condition = 'visitor.claims.isBeta';
    expect((await me.patch(at, { condition })).body.condition).toBe(condition);
    expect((await me.patch(at, { condition: null })).body.condition).toBeUndefined();
  });

  test('are on a site once', async () => {
    const { me, site, space } = await start();
    const [one, two] = [await space('One'), await space('Two')];
    const { body } = await me.post(`${site}/site-spaces`, { spaceId: one });
    await me.post(`${site}/site-spaces`, { spaceId: two });
    expect((await me.post(`${site}/site-spaces`, { spaceId: one })).status).toBe(409);
    expect((await me.post(`${site}/sections`, { spaceId: one })).status).toBe(409);
    expect((await me.patch(`${site}/site-spaces/${body.id}`, { spaceId: two })).status).toBe(409);
    expect(await structureOf({ me, site })).toBe('siteSpaces: One* Two');
  });

  test('hide what the caller may not view', async () => {
    const { organization, me, site } = await start();
    const open = await service.build.space(organization, { title: 'Open' });
    const closed = await service.build.space(organization, { title: 'Closed', defaultLevel: null });
    for (const { id } of [closed, open]) await me.post(`${site}/sections`, { spaceId: id });
    const reader = service.as((await service.build.member(organization, 'read')).token);
    expect(await structureOf({ me, site })).toBe('sections: Closed* Open');
    expect(await structureOf({ me: reader, site })).toBe('sections: Open*');
    for (const list of ['sections', 'site-spaces']) {
      expect((await reader.get(`${site}/${list}`)).body).toMatchObject({
        count: 1,
        items: [{ title: 'Open' }],
      });
    }
  });
});

describe('lists', () => {
  test('are in reading order, and a walk finds each once while others come and go', async () => {
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
      // What was last on the page goes, and something comes before and behind it.
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
});

/** How many statements are sent while something runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const executor = Object.getPrototypeOf(service.runtime.database.db.getExecutor());
  const send = vi.spyOn(executor, 'executeQuery');
  try {
    await work();
    return send.mock.calls.length;
  } finally {
    send.mockRestore();
  }
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
