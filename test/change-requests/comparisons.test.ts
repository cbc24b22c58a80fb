import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Edits a space directly and gives the id of the revision that the edit made. */
async function edit(space: EditedSpace, changes: object[]): Promise<string> {
  const { status, body } = await space.editor.post(space.content, { changes });
  expect(status).toBe(200);
  return body.revision;
}

const rewrite = (page: string | undefined, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
});

test('the revisions of a space are listed newest first with their authors, merges with their change requests', async () => {
  const space = await editedSpace(service, { Guide: 'One' });
  const edited = await edit(space, [rewrite(space.pages.Guide, 'Two')]);
  const { path, id, number } = await space.changeRequest({ status: 'open' });
  await space.editor.post(`${path}/content`, { changes: [{ operation: 'insert_page', title: 'New' }] });
  const merged = await space.admin.post(`${path}/merge`);
  const { status, body } = await space.editor.get(`/spaces/${space.id}/revisions`);
  expect(status).toBe(200);
  expect(body.count).toBe(4);
  expect(body.items.map(({ type }: { type: string }) => type)).toEqual(['merge', 'edits', 'edits', 'edits']);
  const me = (await space.editor.get('/user')).body;
  expect(body.items[1]).toMatchObject({
    object: 'revision-summary',
    id: edited,
    parents: [body.items[2].id],
    createdBy: { id: me.id },
  });
  expect(body.items[0]).toMatchObject({ id: merged.body.revision, mergedFrom: { id, number } });
  expect(body.items[0].parents[0]).toBe(edited);
  expect(body.items[1].mergedFrom).toBeUndefined();
});

test('the revisions of a space can be listed page by page while others are added', async () => {
  const space = await editedSpace(service, { Guide: '0' });
  const made: string[] = [];
  for (const text of ['1', '2', '3', '4'])
    made.unshift(await edit(space, [rewrite(space.pages.Guide, text)]));
  const list = `/spaces/${space.id}/revisions?limit=2`;
  const first = (await space.editor.get(list)).body;
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  expect(idsOf(first)).toEqual(made.slice(0, 2));
  expect(first.count).toBe(6);
  await edit(space, [rewrite(space.pages.Guide, '5')]);
  const second = (await space.editor.get(`${list}&page=${first.next.page}`)).body;
  expect(idsOf(second)).toEqual(made.slice(2));
  const third = (await space.editor.get(`${list}&page=${second.next.page}`)).body;
  expect(third.items).toHaveLength(2);
  expect(third.next).toBeUndefined();
  expect((await space.editor.get(`${list}&page=other`)).status).toBe(400);
});

test('the revisions of a space are visible only to readers of the space', async () => {
  const space = await editedSpace(service);
  const stranger = await service.build.user();
  const path = `/spaces/${space.id}/revisions`;
  expect((await service.as().get(path)).status).toBe(401);
  expect((await service.as(stranger.token).get(path)).status).toBe(404);
});

test('a comparison of revisions returns a diff of the Markdown of each page whose title or text differs', async () => {
  const space = await editedSpace(service, { Guide: 'First.\n\nSecond.', Old: 'Bye', Note: 'Same' });
  const { Guide, Old, Note } = space.pages;
  const revision = await edit(space, [
    rewrite(Guide, 'First.\n\nSecond, changed.'),
    { operation: 'update_page', page: Note, into: Guide },
    { operation: 'delete_page', page: Old },
    { operation: 'insert_page', title: 'New', document: { markdown: 'Hello' } },
  ]);
  const { status, body } = await space.editor.get(`/spaces/${space.id}/revisions/${revision}/comparison`);
  expect(status).toBe(200);
  expect(body.revision).toBe(revision);
  const byTitle = Object.fromEntries(
    body.items.map((item: { page: { title: string } }) => [item.page.title, item]),
  );
  expect(Object.keys(byTitle).sort()).toEqual(['Guide', 'New', 'Old']);
  expect(byTitle.Guide).toMatchObject({ type: 'edited', page: { id: Guide, path: 'guide' } });
  expect(byTitle.Guide.markdown).toBe('@@ -2,4 +2,4 @@\n \n First.\n \n-Second.\n+Second, changed.\n');
  expect(byTitle.Old).toMatchObject({ type: 'deleted', markdown: '@@ -1,3 +0,0 @@\n-# Old\n-\n-Bye\n' });
  expect(byTitle.New).toMatchObject({ type: 'created', markdown: '@@ -0,0 +1,3 @@\n+# New\n+\n+Hello\n' });
});

test('a revision can be compared with any revision of the space, in both directions', async () => {
  const space = await editedSpace(service, { Guide: 'One' });
  const before = (await space.editor.get(`/spaces/${space.id}`)).body.revision;
  await edit(space, [rewrite(space.pages.Guide, 'Two')]);
  const after = await edit(space, [rewrite(space.pages.Guide, 'Three')]);
  const compare = async (from: string, to: string) =>
    (await space.editor.get(`/spaces/${space.id}/revisions/${to}/comparison?base=${from}`)).body.items[0]
      .markdown;
  expect(await compare(before, after)).toContain('-One\n+Three\n');
  expect(await compare(after, before)).toContain('-Three\n+One\n');
  const other = await editedSpace(service);
  const foreign = (await other.editor.get(`/spaces/${other.id}`)).body.revision;
  for (const base of [foreign, newId(), 'no-id'])
    expect(
      (await space.editor.get(`/spaces/${space.id}/revisions/${after}/comparison?base=${base}`)).status,
    ).toBe(404);
});

test('a comparison of revisions lists the blocks that were added, removed, moved and changed', async () => {
  const space = await editedSpace(service, { Guide: 'One\n\nTwo\n\nThree is here\n\nFour', Other: 'x' });
  const { Guide, Other } = space.pages;
  const revision = await edit(space, [
    rewrite(Guide, 'Four\n\nFive\n\nOne\n\nThree is there'),
    rewrite(Other, 'y'),
  ]);
  const path = `/spaces/${space.id}/revisions/${revision}/comparison?format=document`;
  const { body } = await space.editor.get(`${path}&pageId=${Guide}`);
  expect(body.items).toHaveLength(1);
  const textOf = (block?: { nodes: { leaves: { text: string }[] }[] }) =>
    block?.nodes.flatMap(({ leaves }) => leaves.map(({ text }) => text)).join('');
  const summary = body.items[0].blocks.map((change: Record<string, never>) => [
    change.type,
    textOf(change.block ?? change.before),
    ...(change.after ? [textOf(change.after)] : []),
  ]);
  expect(summary).toEqual([
    ['moved', 'Four'],
    ['added', 'Five'],
    ['removed', 'Two'],
    ['changed', 'Three is here', 'Three is there'],
  ]);
  expect((await space.editor.get(`${path}&pageId=${newId()}`)).status).toBe(404);
  expect((await space.editor.get(`${path}&limit=1`)).body).toMatchObject({ items: [{}], more: 1 });
});

test('a comparison of a change request shows what it changes, without concurrent changes of the space', async () => {
  const space = await editedSpace(service, { Guide: 'One', Note: 'Before' });
  const { path } = await space.changeRequest();
  await space.editor.post(`${path}/content`, { changes: [rewrite(space.pages.Guide, 'Two')] });
  await edit(space, [rewrite(space.pages.Note, 'After')]);
  const { body } = await space.editor.get(`${path}/comparison`);
  expect(body.items).toMatchObject([{ type: 'edited', page: { title: 'Guide' } }]);
  expect(body.items[0].markdown).toContain('-One\n+Two\n');
  const stranger = await service.build.user();
  expect((await service.as().get(`${path}/comparison`)).status).toBe(401);
  expect((await service.as(stranger.token).get(`${path}/comparison`)).status).toBe(404);
  expect((await space.editor.get(`${path}/comparison?format=html`)).status).toBe(400);
});
