import { afterAll, beforeAll, expect, test } from 'vitest';
import { editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A page whose only paragraph and description the space and a change request changed differently. */
async function disputedPage() {
  const space = await editedSpace(service, { Guide: 'Say one thing.', Other: '' });
  const { editor, content, pages } = space;
  const { path } = await space.changeRequest();
  const update = (text: string) => ({
    changes: [
      {
        operation: 'update_page',
        page: pages.Guide,
        description: text,
        document: { markdown: `Say ${text} thing.` },
      },
    ],
  });
  await editor.post(`${path}/content`, update('our'));
  await editor.post(content, update('their'));
  const conflicts = async (): Promise<{ id: string; field: string }[]> =>
    (await editor.get(`${path}/conflicts`)).body.items;
  const page = async () => (await editor.get(`${path}/content/page/${pages.Guide}`)).body;
  return { ...space, path, conflicts, page, edit: `${path}/content` };
}

const idOf = (conflicts: { id: string; field: string }[], field: string): string | undefined =>
  conflicts.find((conflict) => conflict.field === field)?.id;

test('resolve_conflict takes a side of each single conflict, pulling the space in if necessary', async () => {
  const { editor, edit, conflicts, page } = await disputedPage();
  const found = await conflicts();
  expect(found).toHaveLength(2);
  const answer = await editor.post(edit, {
    changes: [
      { operation: 'resolve_conflict', conflict: idOf(found, 'description'), take: 'theirs' },
      { operation: 'resolve_conflict', conflict: idOf(found, 'text'), take: 'ours' },
    ],
  });
  expect(answer.status).toBe(200);
  expect(await page()).toMatchObject({
    description: 'their',
    markdown: expect.stringContaining('our thing'),
  });
  expect(await conflicts()).toEqual([]);
});

test('with compat=false, pages are listed of whose conflicts a side is taken, and those deleted with it', async () => {
  const { editor, edit, conflicts, pages } = await disputedPage();
  const found = await conflicts();
  const take = async (...sides: [field: string, side: string][]) => {
    const changes = sides.map(([field, side]) => ({
      operation: 'resolve_conflict',
      conflict: idOf(found, field),
      take: side,
    }));
    const { status, body } = await editor.post(`${edit}?compat=false`, { changes });
    expect(status).toBe(200);
    return body.changes.pages;
  };
  expect(await take(['description', 'theirs'], ['text', 'ours'])).toMatchObject([
    { index: 0, change: 'updated', id: pages.Guide, page: { description: 'their' } },
    { index: 1, change: 'updated', id: pages.Guide, page: { title: 'Guide' } },
  ]);
});

test('with compat=false, a page is listed as deleted with those below it if the side without it is taken', async () => {
  const space = await editedSpace(service, { Guide: 'One', Part: 'Two', Other: 'Three' });
  const { editor, content, pages } = space;
  const { Guide, Part, Other } = pages;
  await editor.post(content, { changes: [{ operation: 'update_page', page: Part, into: Guide }] });
  const { path } = await space.changeRequest();
  const describe = (page: string | undefined, description: string) => ({
    operation: 'update_page',
    page,
    description,
  });
  await editor.post(`${path}/content`, { changes: [describe(Guide, 'Ours'), describe(Other, 'Ours')] });
  await editor.post(content, {
    changes: [{ operation: 'delete_page', page: Guide }, describe(Other, 'Theirs')],
  });
  const { items } = (await editor.get(`${path}/conflicts`)).body;
  const isDeletion = ({ kind }: { kind: string }) => kind === 'page-deleted';
  const changes = [items.find((one: { kind: string }) => !isDeletion(one)), items.find(isDeletion)].map(
    ({ id }) => ({ operation: 'resolve_conflict', conflict: id, take: 'theirs' }),
  );
  const { status, body } = await editor.post(`${path}/content?compat=false`, { changes });
  expect(status).toBe(200);
  expect(body.changes.pages).toMatchObject([
    { index: 0, change: 'updated', id: Other },
    { index: 1, change: 'deleted', id: Guide },
    { index: 1, change: 'deleted', id: Part },
  ]);
});

test('resolve_conflict accepts a text that is neither side’s', async () => {
  const { editor, edit, conflicts, page } = await disputedPage();
  const conflict = idOf(await conflicts(), 'text');
  const changes = [{ operation: 'resolve_conflict', conflict, take: { markdown: 'Say everything.' } }];
  expect((await editor.post(edit, { changes })).status).toBe(200);
  expect((await page()).markdown).toContain('Say everything.');
  expect((await conflicts()).map(({ field }) => field)).toEqual(['description']);
});

test('resolve_conflict is refused for a conflict that does not exist, and in a space, which has none', async () => {
  const { editor, edit, content, conflicts } = await disputedPage();
  const conflict = idOf(await conflicts(), 'text');
  const resolve = (name: unknown) => ({
    changes: [{ operation: 'resolve_conflict', conflict: name, take: 'ours' }],
  });
  for (const answer of [
    await editor.post(edit, resolve('nothing')),
    await editor.post(content, resolve(conflict)),
  ]) {
    expect(answer.status).toBe(404);
    expect(answer.body.error.details[0].path).toBe('changes.0.conflict');
  }
});

test('an edit resolves the conflicts that it touches, and no others', async () => {
  const { editor, edit, path, pages, conflicts } = await disputedPage();
  await editor.post(`${path}/update`);
  const update = (page: unknown, description: string) =>
    editor.post(edit, { changes: [{ operation: 'update_page', page, description }] });
  await update(pages.Other, 'beside it');
  expect(await conflicts()).toHaveLength(2);
  await update(pages.Guide, 'both');
  expect((await conflicts()).map(({ field }) => field)).toEqual(['text']);
});

test('rows of a table that one side deletes and the other changes are a conflict, and other rows are merged', async () => {
  const table = (...rows: string[]) => ['| Name | Value |', '| --- | --- |', ...rows, ''].join('\n');
  const [alpha, beta, gamma] = ['| alpha | yes |', '| beta | yes |', '| gamma | yes |'];
  const space = await editedSpace(service, { Guide: table(alpha, beta, gamma) });
  const { editor, content, pages } = space;
  const { path } = await space.changeRequest();
  const update = (...rows: string[]) => ({
    changes: [{ operation: 'update_page', page: pages.Guide, document: { markdown: table(...rows) } }],
  });
  await editor.post(`${path}/content`, update('| zeta | yes |', alpha, gamma));
  await editor.post(content, update(alpha, '| beta | no |', '| gamma | no |'));
  const [conflict, ...others] = (await editor.get(`${path}/conflicts`)).body.items;
  expect(others).toEqual([]);
  expect(conflict).toMatchObject({
    kind: 'document-block',
    base: ['beta | yes'],
    ours: [],
    theirs: ['beta | no'],
  });
  const changes = [{ operation: 'resolve_conflict', conflict: conflict.id, take: 'theirs' }];
  expect((await editor.post(`${path}/content`, { changes })).status).toBe(200);
  const { markdown } = (await editor.get(`${path}/content/page/${pages.Guide}?format=markdown`)).body;
  for (const row of ['zeta *\\| yes', 'alpha *\\| yes', 'beta *\\| no', 'gamma *\\| no'])
    expect(markdown).toMatch(new RegExp(row));
});
