import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { editedSpace, outlineOf } from './edited-space.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('pages keep their slug when their title changes, and slugs stay unique among siblings', async () => {
  const { editor, content, pages } = await editedSpace(service, { Guide: '' });
  await editor.post(content, {
    changes: [
      { operation: 'update_page', page: pages.Guide, title: 'Handbook' },
      { operation: 'insert_page', title: 'Guide' },
      { operation: 'insert_page', title: 'Other', slug: 'Guide!' },
    ],
  });
  const { body } = await editor.get(`${content}/pages`);
  expect(body.pages.map(({ title, slug }: { title: string; slug: string }) => [title, slug])).toEqual([
    ['Handbook', 'guide'],
    ['Guide', 'guide-1'],
    ['Other', 'guide-2'],
  ]);
});

test('a slug is accepted as it was read, however long the title', async () => {
  const { editor, content } = await editedSpace(service);
  const title = 'z'.repeat(150);
  await editor.post(content, {
    changes: [1, 2, 3].map(() => ({ operation: 'insert_page', title })),
  });
  const before = (await editor.get(`${content}/pages`)).body.pages;
  for (const { id, slug } of before) {
    expect(slug.length).toBeLessThanOrEqual(100);
    const { status } = await editor.post(content, {
      changes: [{ operation: 'update_page', page: id, slug }],
    });
    expect(status).toBeLessThan(300);
  }
  const slugs = (pages: { slug: string }[]) => pages.map(({ slug }) => slug);
  expect(slugs((await editor.get(`${content}/pages`)).body.pages)).toEqual(slugs(before));
});

test('a page never gets the address of a file of its site', async () => {
  const { editor, content } = await editedSpace(service);
  await editor.post(content, {
    changes: [
      { operation: 'insert_page', title: 'llms.txt' },
      { operation: 'insert_page', title: 'Other', slug: 'CLAUDE.md' },
    ],
  });
  const { pages } = (await editor.get(`${content}/pages`)).body;
  const slugs = pages.map(({ slug }: { slug: string }) => slug);
  expect(slugs).toEqual(expect.arrayContaining(['llms-txt', 'claude-md']));
});

test('pages can have all their fields set, and null clears one', async () => {
  const { editor, content } = await editedSpace(service);
  const fields = {
    title: 'Guide',
    slug: 'the-guide',
    description: 'What to do',
    icon: 'book',
    layout: {
      width: 'wide',
      outline: false,
      coverMask: 'radial',
      tags: false,
      actions: false,
      anchors: false,
    },
    cover: { ref: { kind: 'url', url: 'https://example.com/x.png' }, yPos: 10 },
    variables: { version: '2.0' },
    hidden: true,
    condition: 'visitor.claims.isBeta',
    noIndex: true,
    noRobotsIndex: true,
  };
  const made = await editor.post(`${content}?compat=false`, {
    changes: [{ operation: 'insert_page', ...fields }],
  });
  const { id, page } = made.body.changes.pages[0];
  expect(page).toMatchObject(fields);
  expect(page.tags).toEqual([]);
  expect(page.layout).toEqual({
    ...fields.layout,
    cover: true,
    coverSize: 'hero',
    title: true,
    description: true,
    tableOfContents: true,
    pagination: true,
    metadata: true,
  });
  const changed = await editor.post(`${content}?compat=false`, {
    changes: [
      {
        operation: 'update_page',
        page: id,
        description: null,
        icon: null,
        cover: null,
        variables: null,
        layout: null,
        slug: null,
        hidden: false,
      },
    ],
  });
  const after = changed.body.changes.pages[0].page;
  for (const field of ['description', 'icon', 'cover', 'variables', 'hidden'])
    expect(after).not.toHaveProperty(field);
  expect(after).toMatchObject({ slug: 'guide', noIndex: true, layout: { width: 'default' } });
});

test('pages have tags, each once, which their revision names', async () => {
  const { editor, content, pages } = await editedSpace(service, { Guide: '', Other: '' });
  const change = async (page: string | undefined, tags: unknown) =>
    (await editor.post(content, { changes: [{ operation: 'update_page', page, tags }] })).status;
  const shown = async () => {
    const { body } = await editor.get(content);
    return [body.tags, ...body.pages.map((page: { tags: unknown }) => page.tags)];
  };
  const tag = (slug: string) => ({ kind: 'tag', tag: slug });
  const named = (slug: string) => ({ slug, label: slug, color: 'default' });
  expect(await shown()).toEqual([[], [], []]);
  expect(await change(pages.Guide, [{ tag: 'pro' }, { tag: 'beta', primary: true }, { tag: 'pro' }])).toBe(
    200,
  );
  expect(await change(pages.Other, [{ tag: 'pro', primary: false }])).toBe(200);
  expect(await shown()).toEqual([
    [named('beta'), named('pro')],
    [{ tag: tag('pro') }, { tag: tag('beta'), primary: true }],
    [{ tag: tag('pro') }],
  ]);
  expect(await change(pages.Guide, null)).toBe(200);
  expect(await shown()).toEqual([[named('pro')], [], [{ tag: tag('pro') }]]);
  for (const tags of [
    'pro',
    [''],
    ['pro'],
    [{ tag: '' }],
    [{ tag: 'a'.repeat(101) }],
    Array(101).fill({ tag: 'a' }),
  ])
    expect(await change(pages.Guide, tags)).toBe(400);
});

test('pages can be groups and links, which keep their type', async () => {
  const { editor, content } = await editedSpace(service);
  const made = await editor.post(`${content}?compat=false`, {
    changes: [
      { operation: 'insert_page', type: 'group', title: 'Start', ref: 'start' },
      { operation: 'insert_page', title: 'Guide', into: 'start', ref: 'guide' },
      {
        operation: 'insert_page',
        type: 'link',
        title: 'To the guide',
        target: { kind: 'page', page: 'guide' },
      },
    ],
  });
  const [group, guide, link] = made.body.changes.pages;
  expect(group.page).toMatchObject({ type: 'group', kind: 'group' });
  expect(link.page).toMatchObject({ type: 'link', target: { kind: 'page', page: guide.id } });
  const refused = async (change: object) =>
    (await editor.post(content, { changes: [change] })).body.error?.details?.[0]?.path;
  const target = { kind: 'url', url: 'https://example.com' };
  expect(await refused({ operation: 'insert_page', type: 'link', title: 'No target' })).toBe(
    'changes.0.target',
  );
  expect(await refused({ operation: 'update_page', page: guide.id, target })).toBe('changes.0.target');
  expect(await refused({ operation: 'update_page', page: guide.id, type: 'group' })).toBe('changes.0.type');
  expect(await refused({ operation: 'update_page', page: group.id, document: { markdown: 'x' } })).toBe(
    'changes.0.document',
  );
  expect(await refused({ operation: 'insert_page', title: 'Below a link', into: link.id })).toBe(
    'changes.0.into',
  );
});

test('a refused change of a computed page is told in words', async () => {
  const { editor, content } = await editedSpace(service);
  const document = { markdown: 'Text' };
  const { body } = await editor.post(content, {
    changes: [{ operation: 'insert_page', type: 'computed', title: 'API', document }],
  });
  expect(body.error.message).toContain('A computed page has no document.');
});

test('pages move with the pages below them, and to the top level with null', async () => {
  const { editor, content, pages } = await editedSpace(service, { One: '', Two: '', Three: '' });
  const move = (change: object) =>
    editor.post(content, { changes: [{ operation: 'update_page', ...change }] });
  await move({ page: pages.Two, into: pages.One });
  await move({ page: pages.One, into: pages.Three });
  expect(await outlineOf(editor, content)).toEqual([['Three', [['One', ['Two']]]]]);
  await move({ page: pages.Two, into: null, at: 0 });
  expect(await outlineOf(editor, content)).toEqual(['Two', ['Three', ['One']]]);
  const cycle = await move({ page: pages.Three, into: pages.One });
  expect(cycle.status).toBe(400);
  expect(cycle.body.error.details[0].path).toBe('changes.0.into');
});

test('moving pages to where they are is a conflict, and a part of a larger edit that changes nothing', async () => {
  const { editor, content, pages } = await editedSpace(service, { One: '', Two: '', Three: '' });
  const edit = (...changes: object[]) =>
    editor.post(content, { changes: changes.map((change) => ({ operation: 'update_page', ...change })) });
  const revision = async () => (await editor.get(content)).body.id;
  const before = await revision();
  for (const place of [{ at: 1 }, { into: null }, { into: null, at: 1 }]) {
    const { status, body } = await edit({ page: pages.Two, ...place });
    expect([status, body.error.message]).toEqual([
      409,
      'Nothing was changed: changes.0: The page is already in this position.',
    ]);
  }
  expect((await edit({ page: pages.Two, at: 1, title: 'Two' })).status).toBe(200);
  expect(await revision()).toBe(before);
  const moved = await edit(
    { page: pages.Three, at: 0 },
    { page: pages.One, at: 1 },
    { page: pages.Two, at: 2 },
  );
  expect(moved.status).toBe(200);
  expect(await outlineOf(editor, content)).toEqual(['Three', 'One', 'Two']);
});

test('the pages below a deleted page are listed as deleted with it, also those of the same edit', async () => {
  const { editor, pages, content } = await editedSpace(service, {
    Guide: '',
    Part: '',
    Detail: '',
    Other: '',
  });
  const { Guide, Part, Detail, Other } = pages;
  const { status, body } = await editor.post(`${content}?compat=false`, {
    changes: [
      { operation: 'update_page', page: Part, into: Guide },
      { operation: 'update_page', page: Detail, into: Part },
      { operation: 'insert_page', title: 'New', into: Guide, ref: 'new' },
      { operation: 'delete_page', page: Guide },
      { operation: 'delete_page', page: Other },
    ],
  });
  expect(status).toBe(200);
  const listed = body.changes.pages.map(({ index, change, id }: Record<string, unknown>) => [
    index,
    change,
    id,
  ]);
  const created = listed[2][2];
  expect(listed.slice(0, 4)).toEqual([
    [0, 'updated', Part],
    [1, 'updated', Detail],
    [2, 'created', created],
    [3, 'deleted', Guide],
  ]);
  expect(listed.slice(4, 7)).toEqual(
    expect.arrayContaining([Part, Detail, created].map((id) => [3, 'deleted', id])),
  );
  expect(listed.slice(7)).toEqual([[4, 'deleted', Other]]);
});

test('reverting a page restores its text and fields exactly as they were when the change request was created', async () => {
  const space = await editedSpace(service, { Guide: 'Text', Other: '' });
  const { editor, pages } = space;
  const { path } = await space.changeRequest();
  const before = await editor.get(`${space.content}/page/${pages.Guide}`);
  const edit = (...changes: object[]) => editor.post(`${path}/content`, { changes });
  await edit(
    {
      operation: 'update_page',
      page: pages.Guide,
      title: 'X',
      document: { markdown: 'Y' },
      into: pages.Other,
    },
    { operation: 'insert_page', title: 'New', ref: 'new' },
  );
  const { body } = await edit({ operation: 'revert_page', page: pages.Guide });
  const revision = `/spaces/${space.id}/revisions/${body.revision}`;
  const after = await editor.get(`${revision}/page/${pages.Guide}`);
  expect(after.body).toEqual(before.body);
  expect(await outlineOf(editor, revision)).toEqual(['Guide', 'Other', 'New']);

  const made = (await editor.get(`${revision}/path/new`)).body.id;
  const { body: again } = await edit({ operation: 'revert_page', page: made });
  expect(await outlineOf(editor, `/spaces/${space.id}/revisions/${again.revision}`)).toEqual([
    'Guide',
    'Other',
  ]);
});

test('reverting a page restores a deleted page in its place, with the pages below it', async () => {
  const { editor, content, pages, id } = await editedSpace(service, { One: '', Two: 'Text', Three: '' });
  const edit = (...changes: object[]) => editor.post(content, { changes });
  await edit(
    { operation: 'insert_page', title: 'Below', into: pages.Two, ref: 'below' },
    { operation: 'insert_page', title: 'Deep', into: 'below' },
  );
  const { body: before } = await editor.get(`/spaces/${id}`);
  await edit({ operation: 'delete_page', page: pages.Two });
  await edit({ operation: 'insert_page', title: 'Two' });
  expect((await edit({ operation: 'revert_page', page: pages.Two, revision: before.revision })).status).toBe(
    200,
  );
  expect(await outlineOf(editor, content)).toEqual(['One', ['Two', [['Below', ['Deep']]]], 'Three', 'Two']);
  expect((await editor.get(`${content}/page/${pages.Two}`)).body).toMatchObject({
    markdown: '# Two\n\nText',
    slug: 'two-1',
  });
});

test('a document can be read by its id only in a space that contains it', async () => {
  const [space, other] = [
    await editedSpace(service, { Guide: 'Text' }),
    await editedSpace(service, { Home: '' }),
  ];
  const { documentId } = (await space.editor.get(`${space.content}/path/guide`)).body;
  const { status, body } = await space.editor.get(`/spaces/${space.id}/documents/${documentId}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'document', nodes: [{ type: 'paragraph' }] });
  expect((await other.editor.get(`/spaces/${other.id}/documents/${documentId}`)).status).toBe(404);
  expect((await space.editor.get(`/spaces/${space.id}/documents/nothing`)).status).toBe(404);
  expect((await service.as().get(`/spaces/${space.id}/documents/${documentId}`)).status).toBe(401);
});
