import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { edit, MARKDOWN, open, readPage, rewrite, type Scene, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const markdown = (text: string) => ({ document: { markdown: text } });

interface Conflicting extends Scene {
  /** The path of a change request that has been updated from the space, with a conflict about the page. */
  at: string;
}

/** A change request with an unresolved conflict about a field or the text of the page. */
async function setConflict(ours: object, theirs: object): Promise<Conflicting> {
  const scene = await setScene(service);
  const { at } = await open(scene);
  await rewrite(scene, at, ours);
  await rewrite(scene, scene.path, theirs);
  expect((await expectOk(scene.me.post(`${at}/update`))).conflicts).toHaveLength(1);
  return { ...scene, at };
}

const conflictsOf = async ({ me, at }: Conflicting) => (await expectOk(me.get(`${at}/conflicts`))).items;
const update = async ({ me, at }: Conflicting) => expectOk(me.post(`${at}/update`));

describe('a conflict is settled', () => {
  test.each([
    ['a field', { title: 'Ours' }, { title: 'Theirs' }],
    ['a text', markdown('First one.'), markdown('First two.')],
  ])('once the space has the same version of %s as the change request', async (_, ours, theirs) => {
    const scene = await setConflict(ours, theirs);
    await rewrite(scene, scene.path, ours);
    // As before the update, so after it.
    expect(await conflictsOf(scene)).toEqual([]);
    expect(await update(scene)).toMatchObject({ result: 'update' });
    expect(await conflictsOf(scene)).toEqual([]);
    expect(await expectOk(scene.me.post(`${scene.at}/merge`))).toMatchObject({ result: 'merge' });
  });

  test.each([
    ['a field', { title: 'Ours' }, { title: 'Theirs' }, { title: 'Page' }],
    [
      'a text',
      markdown(MARKDOWN.replace('paragraph', 'ours')),
      markdown(MARKDOWN.replace('paragraph', 'theirs')),
      markdown(MARKDOWN),
    ],
  ])('once the space has taken back its change of %s', async (_, ours, theirs, original) => {
    const scene = await setConflict(ours, theirs);
    await rewrite(scene, scene.path, original);
    expect(await conflictsOf(scene)).toEqual([]);
    // Also a merge without an update finds none.
    expect(await expectOk(scene.me.post(`${scene.at}/merge`))).toMatchObject({ result: 'merge' });
    expect(await readPage(scene, scene.path)).toMatchObject(
      'title' in ours ? ours : { markdown: expect.stringContaining('First ours.') },
    );
  });

  test('for good, so that resolving conflicts does not bring back a page that was deleted since', async () => {
    const scene = await setConflict({ title: 'Ours' }, { title: 'Theirs' });
    const { me, at, path, page } = scene;
    await rewrite(scene, path, { title: 'Ours' });
    await update(scene);
    // Equal on both sides, so deleting it is no conflict.
    await edit(me, path, { operation: 'delete_page', page });
    expect(await update(scene)).toMatchObject({ result: 'update' });
    await expectOk(me.post(`${at}/conflicts/resolve`, { take: 'theirs' }));
    expect((await me.get(`${at}/content/page/${page}`)).status).toBe(404);
  });

  test('once the space deletes its page, which is then the only conflict about it', async () => {
    const scene = await setConflict({ title: 'Ours' }, { title: 'Theirs' });
    const { me, at, path, page } = scene;
    await edit(me, path, { operation: 'delete_page', page });
    expect((await update(scene)).conflicts).toMatchObject([{ kind: 'page-deleted' }]);
    await expectOk(me.post(`${at}/conflicts/resolve`, { take: 'theirs' }));
    expect(await expectOk(me.post(`${at}/merge`))).toMatchObject({ result: 'merge' });
    expect((await me.get(`${path}/content/page/${page}`)).status).toBe(404);
  });
});

describe('a conflict remains', () => {
  test('after later changes elsewhere, and further changes of the same text', async () => {
    const scene = await setConflict(markdown('One ours.\n\nLast.'), markdown('One theirs.\n\nLast.'));
    const { me, at, path } = scene;
    await rewrite(scene, path, markdown('One theirs.\n\nLast, changed.'));
    await rewrite(scene, path, { title: 'Other' });
    expect((await update(scene)).conflicts).toHaveLength(1);
    await rewrite(scene, path, markdown('Before.\n\nOne theirs, and more.\n\nLast, changed.'));
    expect((await update(scene)).conflicts).toHaveLength(1);
    expect((await expectOk(me.post(`${at}/merge`))).result).toBe('conflicts');
    await expectOk(me.post(`${at}/conflicts/resolve`, { take: 'theirs' }));
    expect((await readPage(scene, at)).markdown).toBe(
      '# Other\n\nBefore.\n\nOne theirs, and more.\n\nLast, changed.',
    );
  });

  test('if only one of two is settled', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    await rewrite(scene, at, { title: 'Ours', description: 'Ours' });
    await rewrite(scene, scene.path, { title: 'Theirs', description: 'Theirs' });
    const both = { ...scene, at };
    expect((await update(both)).conflicts).toHaveLength(2);
    await rewrite(scene, scene.path, { description: 'Ours' });
    expect((await update(both)).conflicts).toMatchObject([{ field: 'title', theirs: 'Theirs' }]);
    expect(await conflictsOf(both)).toMatchObject([{ field: 'title' }]);
    // It was first a conflict with the page as it was then, whatever the later updates are based on.
    await rewrite(scene, scene.path, { title: 'Third' });
    expect((await update(both)).conflicts).toMatchObject([
      { field: 'title', base: 'Page', theirs: 'Third', pending: false },
    ]);
    await rewrite(scene, scene.path, { title: 'Page' });
    expect((await update(both)).result).toBe('update');
  });
});
