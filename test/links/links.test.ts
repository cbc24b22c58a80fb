import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A page "Links" with this Markdown beside "Guide", which has a heading "First steps!". */
async function linking(markdown: (guide: string) => string): Promise<EditedSpace & { links: string }> {
  const space = await editedSpace(service, { Guide: '# First steps!\n\nText', Links: 'Nothing yet' });
  await write(space, space.content, markdown(space.pages.Guide as string));
  return { ...space, links: `${space.content}/page/${space.pages.Links}/links` };
}

const write = async (space: EditedSpace, path: string, markdown: string, page = 'Links') => {
  const changes = [{ operation: 'update_page', page: space.pages[page], document: { markdown } }];
  expect((await space.editor.post(path, { changes })).status).toBe(200);
};

interface Listed {
  status: string;
  reference: Record<string, string>;
}

/** The status of each link by what it names, below the space that it names. */
const statuses = async (client: Client, path: string) => {
  const { body } = await client.get(path);
  return Object.fromEntries(
    (body.items as Listed[]).map(({ status, reference: { kind, ...named } }) => {
      const name = named.anchor ?? named[kind as string];
      return [named.space && kind !== 'space' ? `${named.space}/${name}` : name, status];
    }),
  );
};

/** More characters than a page of links has here: what is repeated is limited to 4,000,000, except within one item. */
const MOST_ON_A_PAGE = 8_000_000;

/** All pages of a list with the most items on each: the items, and the size and total count of each page. */
async function walk(client: Client, path: string) {
  const walked: { items: Listed[]; sizes: number[]; counts: number[] } = { items: [], sizes: [], counts: [] };
  for (let page: string | undefined = ''; page !== undefined; ) {
    const { body } = await client.get(`${path}?limit=1000${page && `&page=${page}`}`);
    walked.items.push(...body.items);
    walked.sizes.push(JSON.stringify(body).length);
    walked.counts.push(body.count);
    page = body.next?.page;
  }
  return walked;
}

test('the links of a page have the status of their targets', async () => {
  const gone = newId();
  const space = await linking(
    (guide) => `[a](/pages/${guide}) [b](/pages/${gone}) [c](/files/${gone}) [d](https://example.com/)
[e](/pages/${guide}#first-steps) [f](/pages/${guide}#second-steps) [g](http://docs.test/app/spaces/x)
[h](lost.md) [i](/spaces/${gone}/pages/${guide})`,
  );
  expect(await statuses(space.editor, space.links)).toEqual({
    [space.pages.Guide as string]: 'ok',
    [`${gone}/${space.pages.Guide}`]: 'broken',
    [gone]: 'broken',
    'https://example.com/': 'ok',
    'first-steps': 'ok',
    'second-steps': 'broken',
    'http://docs.test/app/spaces/x': 'in-app',
    'lost.md': 'broken',
  });
});

test("the links of a page are listed by target, with the target's display data and every place that refers to it", async () => {
  const space = await linking((guide) => `[a](/pages/${guide}) [b](/pages/${guide})\n\n[c](/pages/${guide})`);
  const { body } = await space.editor.get(space.links);
  expect(body).toMatchObject({ count: 1, stats: { total: 1, broken: { total: 0 } } });
  const [link] = body.items;
  expect(link).toMatchObject({
    status: 'ok',
    relation: 'reference',
    targetReference: {
      kind: 'page',
      organization: { id: space.organization },
      space: { id: space.id },
      page: { id: space.pages.Guide, path: 'guide' },
    },
  });
  expect(link.locationReferences).toHaveLength(2);
  expect(link.locationReferences[0]).toMatchObject({
    kind: 'page',
    page: { id: space.pages.Links },
    internalLocation: { type: 'node' },
  });
});

test('the links of a page can be filtered by status, with statistics of all of them', async () => {
  const space = await linking((guide) => `[a](/pages/${guide}) [b](lost.md)`);
  const { body } = await space.editor.get(`${space.links}?status=broken`);
  expect(body).toMatchObject({ count: 1, stats: { total: 2, broken: { total: 1 } } });
  expect(body.items[0].reference).toEqual({ kind: 'url', url: 'lost.md' });
  expect(body.items[0].targetReference).toBeUndefined();
  expect((await space.editor.get(`${space.links}?status=lost`)).status).toBe(400);
});

test('the links of a page can be listed page by page while the page is edited', async () => {
  const urls = Array.from({ length: 5 }, (_, index) => `https://example.com/${index}`);
  const written = (some: string[]) => some.map((url) => `[x](${url})`).join(' ');
  const space = await linking(() => written(urls));
  const urlsIn = ({ items }: { items: { reference: { url: string } }[] }) =>
    items.map(({ reference }) => reference.url);
  const first = (await space.editor.get(`${space.links}?limit=2`)).body;
  // Another link is added, and the one that the cursor was made at is removed.
  const last = urlsIn(first).at(-1) as string;
  const others = urls.filter((url) => url !== last);
  await write(space, space.content, written([...others, 'https://a.example']));
  const rest = (await space.editor.get(`${space.links}?limit=10&page=${first.next.page}`)).body;
  const seen = [...urlsIn(first), ...urlsIn(rest)].filter((url) => url !== 'https://a.example');
  expect(seen.toSorted()).toEqual(urls);
  expect((await space.editor.get(`${space.links}?page=forged`)).status).toBe(400);
});

test('the links of a page are visible only to readers of the space', async () => {
  const space = await linking(() => '');
  const stranger = await service.build.user();
  expect((await service.as(stranger.token).get(space.links)).status).toBe(404);
  expect((await service.as().get(space.links)).status).toBe(401);
  expect((await space.editor.get(`${space.content}/page/${newId()}/links`)).status).toBe(404);
});

test('the links of a page to spaces that the caller cannot view are broken', async () => {
  const space = await linking(() => '');
  const secret = await service.build.space(space.organization, { defaultLevel: null });
  await write(space, space.content, `[x](/spaces/${secret.id})`);
  expect(await statuses(space.admin, space.links)).toEqual({ [secret.id]: 'ok' });
  expect(await statuses(space.editor, space.links)).toEqual({ [secret.id]: 'broken' });
});

test('the links of a space are those of all its pages, listed by target', async () => {
  const space = await linking((guide) => `[a](/pages/${guide}) [b](lost.md)`);
  await write(space, space.content, '[b](lost.md)', 'Guide');
  const { body } = await space.editor.get(`/spaces/${space.id}/links`);
  expect(body.count).toBe(2);
  const lost = body.items.find(({ status }: { status: string }) => status === 'broken');
  expect(lost.locationReferences).toHaveLength(2);
  expect((await space.editor.get(`/spaces/${newId()}/links`)).status).toBe(404);
});

test('a link is listed with its first 500 places; backlinks list all of them', async () => {
  const space = await linking((guide) =>
    Array.from({ length: 600 }, () => `[a](/pages/${guide})`).join('\n\n'),
  );
  const { body } = await space.editor.get(space.links);
  expect(body).toMatchObject({ count: 1, stats: { total: 1 } });
  expect(body.items[0].locationReferences).toHaveLength(500);
  const backlinks = await walk(space.editor, `${space.content}/page/${space.pages.Guide}/backlinks`);
  expect(backlinks.items).toHaveLength(600);
});

test('backlinks of a page are the places that refer to it, with and without an anchor', async () => {
  const space = await linking((guide) => `[a](/pages/${guide})\n\n[b](/pages/${guide}#first-steps)`);
  const path = `${space.content}/page/${space.pages.Guide}/backlinks`;
  const { body } = await space.editor.get(path);
  expect(body.count).toBe(2);
  expect(body.items).toMatchObject([
    { kind: 'page', page: { id: space.pages.Links }, internalLocation: { type: 'node' } },
    { kind: 'page', page: { id: space.pages.Links }, internalLocation: { type: 'node' } },
  ]);
  await write(space, space.content, 'No more');
  expect((await space.editor.get(path)).body).toMatchObject({ count: 0, items: [] });
});

test('backlinks of a file are the places that show or link to it, including covers', async () => {
  const space = await linking(() => '');
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const made = await space.editor.post(`${space.content}?compat=false`, {
    changes: [{ operation: 'insert_files', files: [{ name: 'a.png', base64: png, ref: 'a' }] }],
  });
  const file = made.body.changes.files[0].file.id;
  const cover = { ref: { kind: 'file', file }, yPos: 0 };
  await space.editor.post(space.content, {
    changes: [
      { operation: 'update_page', page: space.pages.Guide, cover },
      { operation: 'update_page', page: space.pages.Links, document: { markdown: `![a](/files/${file})` } },
    ],
  });
  const { body } = await space.editor.get(`${space.content}/files/${file}/backlinks`);
  const pages = body.items.map(({ page }: { page: { id: string } }) => page.id);
  expect(new Set(pages)).toEqual(new Set([space.pages.Guide, space.pages.Links]));
  expect((await space.editor.get(`${space.content}/files/${newId()}/backlinks`)).status).toBe(404);
});

test('a page of links ends early rather than repeat long merge rules of the space very often', async () => {
  const urls = Array.from({ length: 100 }, (_, index) => `https://example.com/${index}`);
  const space = await linking((guide) => urls.map((url) => `[a](${url}) [b](/pages/${guide})`).join('\n\n'));
  const rule = { rule: 'custom', expression: `'${'a'.repeat(1000)}' != ''` };
  const mergeRules = { type: 'rules', rules: Array.from({ length: 50 }, () => rule) };
  expect((await space.admin.patch(`/spaces/${space.id}`, { mergeRules })).status).toBe(200);

  const links = await walk(space.editor, space.links);
  const listed = links.items.flatMap(({ reference }) => reference.url ?? []);
  expect(listed.toSorted()).toEqual(urls.toSorted());
  const backlinks = await walk(space.editor, `${space.content}/page/${space.pages.Guide}/backlinks`);
  expect(backlinks.items).toHaveLength(100);
  for (const { sizes, counts } of [links, backlinks]) {
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(MOST_ON_A_PAGE);
    expect(new Set(counts).size).toBe(1);
  }
});

test('backlinks can be listed page by page', async () => {
  const space = await linking((guide) =>
    Array.from({ length: 5 }, () => `[a](/pages/${guide})`).join('\n\n'),
  );
  const path = `${space.content}/page/${space.pages.Guide}/backlinks`;
  const nodes: string[] = [];
  for (let page: string | undefined = ''; page !== undefined; ) {
    const { body } = await space.editor.get(`${path}?limit=2${page && `&page=${page}`}`);
    for (const item of body.items) nodes.push(item.internalLocation.node);
    page = body.next?.page;
  }
  expect(new Set(nodes).size).toBe(5);
  expect(nodes).toHaveLength(5);
});

describe('the links of a change request', () => {
  test('broken links of a change request are those that it broke, or those that were already broken', async () => {
    const space = await linking((guide) => `[a](/pages/${guide}) [b](lost.md)`);
    const { path } = await space.changeRequest();
    const changes = [{ operation: 'delete_page', page: space.pages.Guide }];
    expect((await space.editor.post(`${path}/content`, { changes })).status).toBe(200);
    const { body } = await space.editor.get(`${path}/content/page/${space.pages.Links}/links?status=broken`);
    expect(body.stats).toEqual({ total: 2, broken: { total: 2, changeRequest: 1 } });
    expect(body.items[0].locationReferences[0].versionContext.changeRequest.space).toBe(space.id);
    expect((await space.editor.get(space.links)).body.stats.broken.total).toBe(1);
  });

  test('the change request of a place has no description, so that a long one is not repeated with each place', async () => {
    const space = await linking((guide) => `[a](/pages/${guide})\n\n[b](/pages/${guide})`);
    const { path } = await space.changeRequest();
    const leaves = [{ object: 'leaf', text: 'Why, at length.', marks: [] }];
    const nodes = [
      { object: 'block', type: 'paragraph', isVoid: false, nodes: [{ object: 'text', leaves }] },
    ];
    const description = { object: 'document', data: { schemaVersion: 1 }, nodes };
    expect((await space.editor.patch(path, { description })).status).toBe(200);
    for (const list of ['links', `content/page/${space.pages.Guide}/backlinks`]) {
      const { body } = await space.editor.get(`${path}/${list}`);
      const [place] = list === 'links' ? body.items[0].locationReferences : body.items;
      expect(place.versionContext.changeRequest).toHaveProperty('subject');
      expect(JSON.stringify(body)).not.toContain('Why, at length.');
    }
    expect((await space.editor.get(path)).body.description).toBeDefined();
  });

  test('the links of a change request can be filtered by whether it broke them', async () => {
    const space = await linking((guide) => `[a](/pages/${guide}) [b](lost.md)`);
    const { path } = await space.changeRequest();
    const guide = space.pages.Guide as string;
    await space.editor.post(`${path}/content`, { changes: [{ operation: 'delete_page', page: guide }] });
    const broken = (context: string) =>
      statuses(space.editor, `${path}/links?status=broken&brokenContext=${context}`);
    expect(await broken('change-request')).toEqual({ [guide]: 'broken' });
    expect(await broken('space')).toEqual({ 'lost.md': 'broken' });
    expect((await space.editor.get(`${path}/links?brokenContext=both`)).status).toBe(400);
  });

  test('links of a change request are resolved within its content', async () => {
    const space = await linking(() => '');
    const { path } = await space.changeRequest();
    const guide = space.pages.Guide as string;
    await write(space, `${path}/content`, `[a](/pages/${guide})`);
    const backlinks = `content/page/${guide}/backlinks`;
    expect((await space.editor.get(`${path}/${backlinks}`)).body.count).toBe(1);
    expect((await space.editor.get(`/spaces/${space.id}/${backlinks}`)).body.count).toBe(0);
    const stranger = await service.build.user();
    expect((await service.as(stranger.token).get(`${path}/${backlinks}`)).status).toBe(404);
  });
});
