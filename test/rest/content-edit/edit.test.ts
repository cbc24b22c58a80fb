import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../schema/ids.ts';
import { type Client, startTestService, type TestService } from '../../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A space with this outline, whose pages are named by their titles. */
const spaceWith = (outline: Parameters<typeof editedSpace>[1] = {}): Promise<EditedSpace> =>
  editedSpace(service, outline);

const titles = (pages: { title: string; pages?: never[] }[]): unknown =>
  pages.map(({ title, pages }) => (pages?.length ? [title, titles(pages)] : title));
const outlineOf = async (client: Client, path: string) =>
  titles((await client.get(`${path}/pages`)).body.pages);

describe('a direct edit', () => {
  test('makes one revision of all its changes, which becomes the active one of the space', async () => {
    const { editor, content, id } = await spaceWith();
    const before = (await editor.get(`/spaces/${id}`)).body;
    const answer = await editor.post(content, {
      changes: [
        { operation: 'insert_page', title: 'Guide', ref: 'guide', document: { markdown: 'Hello *you*' } },
        { operation: 'insert_page', title: 'Install', into: 'guide', description: 'How to' },
        { operation: 'insert_page', title: 'First', at: 0, emoji: '1f1eb-1f1f7' },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ object: 'space', id });
    expect(answer.body.revision).not.toBe(before.revision);
    expect(await outlineOf(editor, content)).toEqual(['First', ['Guide', ['Install']]]);

    const { body: revision } = await editor.get(content);
    expect(revision).toMatchObject({ id: answer.body.revision, type: 'edits', parents: [before.revision] });
    expect(revision.pages[0]).toMatchObject({ emoji: '🇫🇷', slug: 'first', type: 'document' });
    const guide = await editor.get(`${content}/path/guide`);
    expect(guide.body.markdown).toBe('Hello *you*');
    expect((await editor.get(`${content}/path/guide%2Finstall`)).body.description).toBe('How to');
  });

  test('is refused while the space is locked', async () => {
    const { admin, content, id } = await spaceWith();
    await admin.patch(`/spaces/${id}`, { editMode: 'locked' });
    const { status, body } = await admin.post(content, {
      changes: [{ operation: 'insert_page', title: 'Guide' }],
    });
    expect(status).toBe(409);
    expect(body.error.message).toMatch(/locked/);
  });

  test('that changes nothing makes no revision', async () => {
    const { editor, content, pages } = await spaceWith({ Guide: 'Text' });
    const before = (await editor.get(content)).body.id;
    const page = pages.Guide;
    const changes = [
      { operation: 'update_page', page, title: 'Guide', hidden: false, document: { markdown: 'Text' } },
    ];
    expect((await editor.post(content, { changes })).body.revision).toBe(before);
  });

  test('needs the level edit, a space that one may see, and a token', async () => {
    const { organization, content } = await spaceWith();
    const body = { changes: [{ operation: 'insert_page', title: 'Guide' }] };
    const commenter = await service.build.member(organization, 'comment');
    const stranger = await service.build.user();
    expect((await service.as(commenter.token).post(content, body)).status).toBe(403);
    expect((await service.as(stranger.token).post(content, body)).status).toBe(404);
    expect((await service.as().post(content, body)).status).toBe(401);
  });

  test('at the same time as others keeps every edit', async () => {
    const { editor, content } = await spaceWith();
    const names = Array.from({ length: 12 }, (_, index) => `Page ${index}`);
    const answers = await Promise.all(
      names.map((title) => editor.post(content, { changes: [{ operation: 'insert_page', title }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(((await outlineOf(editor, content)) as string[]).sort()).toEqual([...names].sort());
  });
});

describe('an edit of a change request', () => {
  test('changes its content alone, and answers it', async () => {
    const space = await spaceWith({ Guide: 'Text' });
    const { editor } = space;
    const { path, number } = await space.changeRequest();
    const answer = await editor.post(`${path}/content`, {
      changes: [{ operation: 'update_page', page: space.pages.Guide, title: 'Handbook' }],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ object: 'change-request', number, outdated: false });
    expect(answer.body).not.toHaveProperty('changes');
    expect(await outlineOf(editor, space.content)).toEqual(['Guide']);
    const revision = `/spaces/${space.id}/revisions/${answer.body.revision}`;
    expect(await outlineOf(editor, revision)).toEqual(['Handbook']);
  });

  test('works while the space is locked', async () => {
    const space = await spaceWith();
    const { path } = await space.changeRequest();
    await space.admin.patch(`/spaces/${space.id}`, { editMode: 'locked' });
    const changes = [{ operation: 'insert_page', title: 'Guide' }];
    expect((await space.editor.post(`${path}/content`, { changes })).status).toBe(200);
  });

  test.each(['archived', 'merged'] as const)('is refused once it is %s', async (status) => {
    const space = await spaceWith();
    const { path } = await space.changeRequest({ status });
    const changes = [{ operation: 'insert_page', title: 'Guide' }];
    const answer = await space.editor.post(`${path}/content`, { changes });
    expect(answer.status).toBe(409);
    expect(answer.body.error.message).toContain(status);
  });

  test('says with compat=false what was made and changed', async () => {
    const space = await spaceWith({ Guide: 'Text', Old: '' });
    const { path } = await space.changeRequest();
    const base64 = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"/>').toString(
      'base64',
    );
    const { body } = await space.editor.post(`${path}/content?compat=false`, {
      changes: [
        { operation: 'insert_files', files: [{ name: 'logo.svg', base64, ref: 'logo' }] },
        {
          operation: 'insert_page',
          title: 'New',
          ref: 'new',
          document: { markdown: '![Logo](/files/logo)' },
        },
        { operation: 'update_page', page: space.pages.Guide, into: 'new' },
        { operation: 'delete_page', page: space.pages.Old },
      ],
    });
    expect(body.object).toBe('change-request');
    const { pages, files } = body.changes;
    expect(files).toMatchObject([
      {
        index: 0,
        ref: 'logo',
        file: { name: 'logo.svg', contentType: 'image/svg+xml', dimensions: { width: 7, height: 5 } },
      },
    ]);
    expect(pages).toMatchObject([
      { index: 1, ref: 'new', change: 'created', page: { title: 'New', path: 'new' } },
      { index: 2, change: 'updated', id: space.pages.Guide, page: { path: 'new/guide' } },
      { index: 3, change: 'deleted', id: space.pages.Old },
    ]);
    expect(pages[2]).not.toHaveProperty('page');
    const revision = `/spaces/${space.id}/revisions/${body.revision}`;
    const made = await space.editor.get(`${revision}/page/${pages[0].id}`);
    expect(made.body.markdown).toContain(`/files/${files[0].file.id}`);
    const bytes = await service.app.inject(new URL(files[0].file.downloadURL).href);
    expect(bytes.headers['content-type']).toBe('image/svg+xml');
  });
});

describe('pages', () => {
  test('keep their slug when their title changes, and slugs stay unique among siblings', async () => {
    const { editor, content, pages } = await spaceWith({ Guide: '' });
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

  test('take all their fields, and null takes one away', async () => {
    const { editor, content } = await spaceWith();
    const fields = {
      title: 'Guide',
      slug: 'the-guide',
      description: 'What to do',
      icon: 'book',
      layout: { width: 'wide', outline: false },
      cover: { ref: { kind: 'url', url: 'https://example.com/x.png' }, yPos: 10 },
      variables: { version: '2.0' },
      hidden: true,
      noIndex: true,
      noRobotsIndex: true,
    };
    const made = await editor.post(`${content}?compat=false`, {
      changes: [{ operation: 'insert_page', ...fields }],
    });
    const { id, page } = made.body.changes.pages[0];
    expect(page).toMatchObject(fields);
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

  test('can be groups and links, which keep what they are', async () => {
    const { editor, content } = await spaceWith();
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

  test('move with what is below them, and to the top level with null', async () => {
    const { editor, content, pages } = await spaceWith({ One: '', Two: '', Three: '' });
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
});

describe('a batch', () => {
  test('is made whole or not at all, and its first failing change is named', async () => {
    const { editor, content, pages } = await spaceWith({ Guide: '', Below: '' });
    const before = (await editor.get(content)).body.id;
    const insert = { operation: 'insert_page', title: 'New' };
    const cases: [object, number, string][] = [
      [{ operation: 'update_page', page: newId(), title: 'x' }, 404, 'changes.2.page'],
      [{ operation: 'delete_page', page: 'nobody' }, 404, 'changes.2.page'],
      [{ operation: 'insert_page', title: 'x', into: newId() }, 404, 'changes.2.into'],
      [{ operation: 'insert_page', title: 'x', ref: 'new' }, 400, 'changes.2.ref'],
      [{ operation: 'revert_page', page: pages.Guide, revision: newId() }, 404, 'changes.2.revision'],
    ];
    for (const [change, status, path] of cases) {
      const changes = [
        { ...insert, ref: 'new' },
        { operation: 'delete_page', page: pages.Below },
        change,
        insert,
      ];
      const answer = await editor.post(content, { changes });
      expect(answer.status, path).toBe(status);
      expect(answer.body.error.details, path).toMatchObject([{ path }]);
    }
    expect((await editor.get(content)).body.id).toBe(before);
  });

  test('names a page that an earlier change deleted as gone', async () => {
    const { editor, content, pages } = await spaceWith({ Guide: '' });
    await editor.post(content, {
      changes: [{ operation: 'insert_page', title: 'Below', into: pages.Guide }],
    });
    const below = (await editor.get(`${content}/path/guide%2Fbelow`)).body.id;
    const { status, body } = await editor.post(content, {
      changes: [
        { operation: 'delete_page', page: pages.Guide },
        { operation: 'update_page', page: below, title: 'x' },
      ],
    });
    expect(status).toBe(404);
    expect(body.error.details[0].path).toBe('changes.1.page');
  });

  test.each([
    ['no changes', [], 'changes'],
    ['too many', Array.from({ length: 51 }, () => ({ operation: 'delete_page', page: 'x' })), 'changes'],
    ['an unknown operation', [{ operation: 'paint_page' }], 'changes.0.operation'],
    ['no title', [{ operation: 'insert_page' }], 'changes.0.title'],
    [
      'two contents',
      [{ operation: 'insert_page', title: 'x', document: { markdown: '', document: {} } }],
      '',
    ],
    [
      'a document that is none',
      [
        {
          operation: 'insert_page',
          title: 'x',
          document: {
            document: { object: 'document', data: { schemaVersion: 1 }, nodes: [{ object: 'leaf' }] },
          },
        },
      ],
      'changes.0.document.document.nodes.0.object',
    ],
    [
      'a bad name',
      [{ operation: 'insert_files', files: [{ name: 'a/b', base64: '' }] }],
      'changes.0.files.0.name',
    ],
    ['no bytes', [{ operation: 'insert_files', files: [{ name: 'a' }] }], 'changes.0.files.0'],
    [
      'bad base64',
      [{ operation: 'insert_files', files: [{ name: 'a', base64: '*' }] }],
      'changes.0.files.0.base64',
    ],
  ])('with %s is refused', async (_, changes, path) => {
    const { editor, content } = await spaceWith();
    const { status, body } = await editor.post(content, { changes });
    expect(status).toBe(400);
    expect(body.error.details[0].path).toContain(path);
  });
});

describe('reverting a page', () => {
  test('takes its text and fields back, exactly as they were when the change request began', async () => {
    const space = await spaceWith({ Guide: 'Text', Other: '' });
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

  test('brings back a deleted page at its place, with what lay below it', async () => {
    const { editor, content, pages, id } = await spaceWith({ One: '', Two: 'Text', Three: '' });
    const edit = (...changes: object[]) => editor.post(content, { changes });
    await edit(
      { operation: 'insert_page', title: 'Below', into: pages.Two, ref: 'below' },
      { operation: 'insert_page', title: 'Deep', into: 'below' },
    );
    const { body: before } = await editor.get(`/spaces/${id}`);
    await edit({ operation: 'delete_page', page: pages.Two });
    await edit({ operation: 'insert_page', title: 'Two' });
    expect(
      (await edit({ operation: 'revert_page', page: pages.Two, revision: before.revision })).status,
    ).toBe(200);
    expect(await outlineOf(editor, content)).toEqual(['One', ['Two', [['Below', ['Deep']]]], 'Three', 'Two']);
    expect((await editor.get(`${content}/page/${pages.Two}`)).body).toMatchObject({
      markdown: 'Text',
      slug: 'two-1',
    });
  });
});

test('a document is read by its id where the space holds it, and nowhere else', async () => {
  const [space, other] = [await spaceWith({ Guide: 'Text' }), await spaceWith({ Home: '' })];
  const { documentId } = (await space.editor.get(`${space.content}/path/guide`)).body;
  const { status, body } = await space.editor.get(`/spaces/${space.id}/documents/${documentId}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'document', nodes: [{ type: 'paragraph' }] });
  expect((await other.editor.get(`/spaces/${other.id}/documents/${documentId}`)).status).toBe(404);
  expect((await space.editor.get(`/spaces/${space.id}/documents/nothing`)).status).toBe(404);
  expect((await service.as().get(`/spaces/${space.id}/documents/${documentId}`)).status).toBe(401);
});
