import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { edit, MARKDOWN, open, readPage, rewrite, type Scene, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A change request and its space that gave the page different titles and a paragraph different words. */
async function disagree(scene: Scene): Promise<string> {
  const { at } = await open(scene);
  await rewrite(scene, at, {
    title: 'Ours',
    document: { markdown: MARKDOWN.replace('Second', 'Our') },
    description: 'Only ours',
  });
  await rewrite(scene, scene.path, {
    title: 'Theirs',
    document: { markdown: MARKDOWN.replace('Second', 'Their') },
    emoji: '🎈',
  });
  return at;
}

const conflictsAt = async ({ me }: Scene, at: string) => (await me.get(`${at}/conflicts`)).body.items;
const about = (conflicts: { kind: string; field?: string }[], field: string) =>
  conflicts.find((conflict) => conflict.field === field);

test('a merge with conflicts changes nothing and lists the conflicts, with the three versions', async () => {
  const scene = await setScene(service);
  const { me, path, page } = scene;
  const at = await disagree(scene);
  const before = [(await me.get(path)).body, (await me.get(at)).body];
  const { status, body } = await me.post(`${at}/merge`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ result: 'conflicts', revision: before[0].revision });
  expect([(await me.get(path)).body, (await me.get(at)).body]).toEqual(before);
  expect(body.conflicts).toHaveLength(2);
  expect(about(body.conflicts, 'title')).toEqual({
    object: 'conflict',
    id: expect.any(String),
    kind: 'page-field',
    page: { id: page, title: 'Ours' },
    field: 'title',
    base: 'Page',
    ours: 'Ours',
    theirs: 'Theirs',
    pending: true,
  });
  expect(about(body.conflicts, 'text')).toMatchObject({
    kind: 'document-block',
    page: { id: page },
    block: expect.any(String),
  });
  expect((await me.get(`${at}/conflicts`)).body).toEqual({ count: 2, items: body.conflicts });
  expect((await me.get(`${at}/merge-preview`)).body).toEqual({
    result: 'conflicts',
    outdated: true,
    conflicts: body.conflicts,
    unmetRules: [],
    bypass: false,
  });
});

describe('an update with conflicts', () => {
  test('an update merges what it can, keeps the side of the change request in conflicts, and lists these', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const at = await disagree(scene);
    const { status, body } = await me.post(`${at}/update`);
    expect(status).toBe(200);
    expect(body.result).toBe('conflicts');
    expect(body.conflicts).toMatchObject([{ pending: false }, { pending: false }]);
    expect((await me.get(at)).body).toMatchObject({ revision: body.revision, outdated: false });
    expect(await readPage(scene, at)).toMatchObject({
      title: 'Ours',
      emoji: '1f388',
      description: 'Only ours',
      markdown: `# Ours\n\n${MARKDOWN.replace('Second', 'Our')}`,
    });
    expect(await conflictsAt(scene, at)).toEqual(body.conflicts);
    const merge = await me.post(`${at}/merge`);
    expect(merge.body).toMatchObject({ result: 'conflicts', conflicts: body.conflicts });
    expect((await me.get(`${at}/merge-preview`)).body).toMatchObject({
      result: 'conflicts',
      outdated: false,
    });
  });

  test('a second update keeps unresolved conflicts, with the current version of the space', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const at = await disagree(scene);
    await me.post(`${at}/update`);
    await rewrite(scene, path, { title: 'Theirs once more' });
    const { body } = await me.post(`${at}/update`);
    expect(body.conflicts).toHaveLength(2);
    expect(about(body.conflicts, 'title')).toMatchObject({
      base: 'Page',
      ours: 'Ours',
      theirs: 'Theirs once more',
    });
    const resolved = await me.post(`${at}/conflicts/resolve`, { take: 'theirs' });
    expect(resolved.body.result).toBe('update');
    expect(await readPage(scene, at)).toMatchObject({
      title: 'Theirs once more',
      markdown: `# Theirs once more\n\n${MARKDOWN.replace('Second', 'Their')}`,
    });
  });
});

describe('resolving conflicts', () => {
  test('conflicts can be resolved one by one by taking a side, and then the merge succeeds', async () => {
    const scene = await setScene(service);
    const { me, path, admin } = scene;
    const at = await disagree(scene);
    const { conflicts, revision } = (await me.post(`${at}/update`)).body;
    const title = about(conflicts, 'title') as unknown as { id: string };
    const text = about(conflicts, 'text') as unknown as { id: string };
    const first = await me.post(`${at}/conflicts/resolve`, { take: 'theirs', conflicts: [title.id] });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ result: 'conflicts', conflicts: [{ id: text.id }] });
    expect(first.body.revision).not.toBe(revision);
    expect(await readPage(scene, at)).toMatchObject({
      title: 'Theirs',
      markdown: `# Theirs\n\n${MARKDOWN.replace('Second', 'Our')}`,
    });
    const second = await me.post(`${at}/conflicts/resolve`, { take: 'ours', conflicts: [text.id] });
    expect(second.body).toEqual({ result: 'update', revision: first.body.revision, conflicts: [] });
    // Nothing but the conflict has changed, but other clients show it, too.
    const { items } = (await me.get(`/orgs/${scene.organization}/events?limit=1`)).body;
    expect(items).toMatchObject([{ type: 'change_request.updated' }]);
    expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
    expect(await readPage(scene, path)).toMatchObject({
      title: 'Theirs',
      description: 'Only ours',
      markdown: `# Theirs\n\n${MARKDOWN.replace('Second', 'Our')}`,
    });
    expect((await me.get(`${at}/contributors`)).body.items[0]).toMatchObject({ user: { id: admin.id } });
  });

  test('all conflicts can be resolved at once, which updates the change request if necessary', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const at = await disagree(scene);
    const { body } = await me.post(`${at}/conflicts/resolve`, { take: 'theirs' });
    expect(body).toMatchObject({ result: 'update', conflicts: [] });
    expect(await readPage(scene, at)).toMatchObject({
      title: 'Theirs',
      emoji: '1f388',
      description: 'Only ours',
      markdown: `# Theirs\n\n${MARKDOWN.replace('Second', 'Their')}`,
    });
    expect((await me.get(at)).body.outdated).toBe(false);
    expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
  });

  test('resolving a conflict keeps later edits elsewhere', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const at = await disagree(scene);
    await me.post(`${at}/update`);
    await edit(me, at, { operation: 'insert_page', title: 'New' });
    await rewrite(scene, at, { description: 'Edited since' });
    await me.post(`${at}/conflicts/resolve`, { take: 'theirs' });
    expect(await readPage(scene, at)).toMatchObject({ title: 'Theirs', description: 'Edited since' });
    const { pages } = (await me.get(`${at}/content/pages`)).body;
    expect(pages.map(({ title }: { title: string }) => title)).toEqual(['Theirs', 'New']);
  });

  test('an edit of the conflicting content resolves the conflict', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const at = await disagree(scene);
    await me.post(`${at}/update`);
    await rewrite(scene, at, { description: 'Not what it is about' });
    expect(await conflictsAt(scene, at)).toHaveLength(2);
    await rewrite(scene, at, { title: 'Between' });
    expect(await conflictsAt(scene, at)).toMatchObject([{ kind: 'document-block' }]);
    await rewrite(scene, at, { document: { markdown: MARKDOWN.replace('Second', 'Nobody’s') } });
    expect(await conflictsAt(scene, at)).toEqual([]);
    expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
  });

  test('a page that one side deleted can be deleted or kept', async () => {
    for (const [take, expected] of [
      ['ours', []],
      ['theirs', ['Theirs']],
    ] as const) {
      const scene = await setScene(service);
      const { me, page, path } = scene;
      const { at } = await open(scene);
      await edit(me, at, { operation: 'delete_page', page });
      await rewrite(scene, path, { title: 'Theirs' });
      expect(await conflictsAt(scene, at)).toMatchObject([
        {
          kind: 'page-deleted',
          page: { id: page, title: 'Theirs' },
          ours: null,
          theirs: { title: 'Theirs' },
        },
      ]);
      await me.post(`${at}/conflicts/resolve`, { take });
      expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
      const { pages } = (await me.get(`${path}/content/pages`)).body;
      expect(pages.map(({ title }: { title: string }) => title)).toEqual(expected);
    }
  });

  test('a deleted page is kept with the pages below it', async () => {
    const scene = await setScene(service);
    const { me, page, path } = scene;
    const insert = (title: string, into: string) => ({ operation: 'insert_page', title, into });
    await edit(me, path, { ...insert('Child', page), ref: 'child' }, insert('Grandchild', 'child'));
    const tree = async (at: string) => (await me.get(`${at}/content/pages`)).body.pages;
    const { at } = await open(scene);
    await edit(me, at, { operation: 'delete_page', page });
    expect(await tree(at)).toEqual([]);
    await rewrite(scene, path, { title: 'Theirs' });
    await me.post(`${at}/update`);
    await me.post(`${at}/conflicts/resolve`, { take: 'theirs' });
    expect(await tree(at)).toMatchObject([
      { id: page, title: 'Theirs', pages: [{ title: 'Child', pages: [{ title: 'Grandchild' }] }] },
    ]);
    expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
    expect(await tree(path)).toMatchObject([
      { pages: [{ title: 'Child', pages: [{ title: 'Grandchild' }] }] },
    ]);
  });

  test('resolving conflicts rejects invalid input, and callers who may not edit', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const at = await disagree(scene);
    const { conflicts } = (await me.post(`${at}/update`)).body;
    const resolve = `${at}/conflicts/resolve`;
    for (const body of [{}, { take: 'both' }, { take: 'ours', conflicts: [] }])
      expect((await me.post(resolve, body)).status).toBe(400);
    const unknown = { take: 'ours', conflicts: [conflicts[0].id, newId()] };
    expect((await me.post(resolve, unknown)).status).toBe(404);
    expect(await conflictsAt(scene, at)).toHaveLength(2);
    const commenter = service.as((await service.build.member(scene.organization, 'comment')).token);
    const stranger = service.as((await service.build.user()).token);
    const body = { take: 'ours' };
    expect((await commenter.post(resolve, body)).status).toBe(403);
    expect((await commenter.get(`${at}/conflicts`)).status).toBe(200);
    expect((await stranger.post(resolve, body)).status).toBe(404);
    expect((await stranger.get(`${at}/conflicts`)).status).toBe(404);
    expect((await service.as().post(resolve, body)).status).toBe(401);
    expect((await service.as().get(`${at}/conflicts`)).status).toBe(401);
    await me.patch(at, { status: 'archived' });
    expect((await me.post(resolve, body)).status).toBe(409);
  });

  test('the list of conflicts is paginated', async () => {
    const scene = await setScene(service);
    const at = await disagree(scene);
    const all = await conflictsAt(scene, at);
    const first = (await scene.me.get(`${at}/conflicts?limit=1`)).body;
    expect(first).toMatchObject({ count: 2, items: [all[0]] });
    const rest = await scene.me.get(`${at}/conflicts?page=${encodeURIComponent(first.next.page)}`);
    expect(rest.body).toEqual({ count: 2, items: [all[1]] });
  });
});

test("conflicts as Markdown have the text of both sides and of the ancestor between Git's conflict markers", async () => {
  const scene = await setScene(service);
  const markdown = [
    '## Old title',
    '',
    'Second paragraph.',
    '',
    '```js',
    'const a_b = 1;',
    '```',
    '',
    '* old item',
    '* kept',
  ].join('\n');
  await rewrite(scene, scene.path, { document: { markdown } });
  const { at } = await open(scene);
  const by = (who: string) =>
    markdown.replaceAll('Old', who).replace('Second', who).replace('= 1', `= ${who}`).replace('old', who);
  await rewrite(scene, at, { title: 'Ours', document: { markdown: by('Our') } });
  await rewrite(scene, scene.path, { title: 'Theirs', document: { markdown: by('Their') } });

  const { body } = await scene.me.get(`${at}/conflicts?format=markdown`);
  const texts = body.items.map((conflict: { markdown?: string }) => conflict.markdown);
  const sides = (write: (who: string) => string, base: string) =>
    `<<<<<<< change request\n${write('Our')}\n||||||| base\n${base}\n=======\n${write('Their')}\n>>>>>>> space\n`;
  expect(texts.filter((text: unknown) => text !== undefined).sort()).toEqual(
    [
      sides((who) => `## ${who} title`, '## Old title'),
      sides((who) => `${who} paragraph.`, 'Second paragraph.'),
      sides((who) => `const a_b = ${who};`, 'const a_b = 1;'),
      sides((who) => `${who} item`, 'old item'),
    ].sort(),
  );
  expect(about(body.items, 'title')).not.toHaveProperty('markdown');
  const plain = (await scene.me.get(`${at}/conflicts`)).body;
  expect(plain.items.every((conflict: object) => !('markdown' in conflict))).toBe(true);
  expect((await scene.me.get(`${at}/conflicts?format=html`)).status).toBe(400);
});

test('conflicts as Markdown have an empty side where it removed the block', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  await rewrite(scene, at, { document: { markdown: MARKDOWN.replace('Second', 'Our') } });
  const without = MARKDOWN.split('\n\n')
    .filter((text) => !text.includes('Second'))
    .join('\n\n');
  await rewrite(scene, scene.path, { document: { markdown: without } });
  const { body } = await scene.me.get(`${at}/conflicts?format=markdown&limit=1`);
  expect(body.items).toHaveLength(1);
  expect(body.items[0].markdown).toMatch(
    /^<<<<<<< change request\nOur [^\n]*\n\|\|\|\|\|\|\| base\nSecond [^\n]*\n=======\n>>>>>>> space\n$/,
  );
});
