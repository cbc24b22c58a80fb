import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { editedSpace, outlineOf } from './edited-space.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('a direct edit', () => {
  test('a direct edit applies all its changes in one revision, which becomes active', async () => {
    const { editor, content, id } = await editedSpace(service);
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
    expect(revision.pages[0]).toMatchObject({ emoji: '1f1eb-1f1f7', slug: 'first', type: 'document' });
    const guide = await editor.get(`${content}/path/guide`);
    expect(guide.body.markdown).toBe('# Guide\n\nHello *you*');
    expect((await editor.get(`${content}/path/guide%2Finstall`)).body.description).toBe('How to');
  });

  test('a direct edit is refused while the space is locked', async () => {
    const { admin, content, id } = await editedSpace(service);
    await admin.patch(`/spaces/${id}`, { editMode: 'locked' });
    const { status, body } = await admin.post(content, {
      changes: [{ operation: 'insert_page', title: 'Guide' }],
    });
    expect(status).toBe(409);
    expect(body.error.message).toMatch(/locked/);
  });

  test('a direct edit that changes nothing creates no revision', async () => {
    const { editor, content, pages } = await editedSpace(service, { Guide: 'Text' });
    const before = (await editor.get(content)).body.id;
    const page = pages.Guide;
    const changes = [
      { operation: 'update_page', page, title: 'Guide', hidden: false, document: { markdown: 'Text' } },
    ];
    expect((await editor.post(content, { changes })).body.revision).toBe(before);
  });

  test('a direct edit requires a token, a space that the caller can view, and the edit level', async () => {
    const { organization, content } = await editedSpace(service);
    const body = { changes: [{ operation: 'insert_page', title: 'Guide' }] };
    const commenter = await service.build.member(organization, 'comment');
    const stranger = await service.build.user();
    expect((await service.as(commenter.token).post(content, body)).status).toBe(403);
    expect((await service.as(stranger.token).post(content, body)).status).toBe(404);
    expect((await service.as().post(content, body)).status).toBe(401);
  });

  test('a direct edit is not lost to concurrent edits', async () => {
    const { editor, content } = await editedSpace(service);
    const names = Array.from({ length: 12 }, (_, index) => `Page ${index}`);
    const answers = await Promise.all(
      names.map((title) => editor.post(content, { changes: [{ operation: 'insert_page', title }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(((await outlineOf(editor, content)) as string[]).sort()).toEqual([...names].sort());
  });
});

describe('a condition that cannot be evaluated', () => {
  const BROKEN = '{% if visitor.claims.plan = "pro" %}\nInside\n{% endif %}\n';

  test('a condition that cannot be evaluated is refused, in Markdown and in a document, and nothing changes', async () => {
    const { editor, content } = await editedSpace(service);
    const expression = 'visitor.claims.plan = "pro"';
    const nodes = [{ object: 'block', type: 'if', data: { expression }, nodes: [] }];
    for (const document of [
      { markdown: BROKEN },
      { document: { object: 'document', data: { schemaVersion: 1 }, nodes } },
    ]) {
      const { status, body } = await editor.post(content, {
        changes: [{ operation: 'insert_page', title: 'A', document }],
      });
      expect(status).toBe(400);
      expect(body.error.message).toContain('cannot be evaluated');
      expect(body.error.details).toMatchObject([{ path: 'changes.0.document' }]);
    }
    expect((await editor.get(content)).body).toMatchObject({ pages: [] });
  });

  test.for([
    ['without an end', 'Open\n\n{% if visitor.claims.pro %}\n\nSecret', 'no {% endif %}'],
    [
      'without an end in the same list item',
      '* a\n\n  {% if x %}\n\n  Secret\n* b\n\n{% endif %}',
      'no {% endif %}',
    ],
    ['without an expression', '{% if %}\nSecret\n{% endif %}', 'no expression'],
    ['in capitals', '{% IF visitor.claims.pro %}\n\nSecret\n\n{% ENDIF %}', 'lower case'],
  ])('a condition %s is refused', async ([, markdown, reason]) => {
    const { editor, content } = await editedSpace(service);
    const { status, body } = await editor.post(content, {
      changes: [{ operation: 'insert_page', title: 'A', document: { markdown } }],
    });
    expect(status).toBe(400);
    expect(body.error.message).toContain(reason);
  });

  test('a condition that tests a claim with `in` can be evaluated', async () => {
    const { editor, content } = await editedSpace(service);
    const markdown = '{% if "plan" in visitor.claims.unsigned %}\nInside\n{% endif %}\n';
    const condition = '"plan" in visitor.claims.unsigned';
    const { status } = await editor.post(content, {
      changes: [{ operation: 'insert_page', title: 'A', condition, document: { markdown } }],
    });
    expect(status).toBe(200);
  });
});

test('an edit of a change request changes only its content, and returns it', async () => {
  const space = await editedSpace(service, { Guide: 'Text' });
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

test('an edit of a change request works while the space is locked', async () => {
  const space = await editedSpace(service);
  const { path } = await space.changeRequest();
  await space.admin.patch(`/spaces/${space.id}`, { editMode: 'locked' });
  const changes = [{ operation: 'insert_page', title: 'Guide' }];
  expect((await space.editor.post(`${path}/content`, { changes })).status).toBe(200);
});

test.each(['archived', 'merged'] as const)(
  'an edit of a change request is refused once it is %s',
  async (status) => {
    const space = await editedSpace(service);
    const { path } = await space.changeRequest({ status });
    const changes = [{ operation: 'insert_page', title: 'Guide' }];
    const answer = await space.editor.post(`${path}/content`, { changes });
    expect(answer.status).toBe(409);
    expect(answer.body.error.message).toContain(status);
  },
);

test('an edit of a change request with compat=false, lists the created and updated pages and files', async () => {
  const space = await editedSpace(service, { Guide: 'Text', Old: '' });
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

describe('a batch', () => {
  test('a batch is applied completely or not at all, and the error names the first failing change', async () => {
    const { editor, content, pages } = await editedSpace(service, { Guide: '', Below: '' });
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

  test('a batch reports a page that an earlier change deleted as not found', async () => {
    const { editor, content, pages } = await editedSpace(service, { Guide: '' });
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
  ])('a batch with %s is refused', async (_, changes, path) => {
    const { editor, content } = await editedSpace(service);
    const { status, body } = await editor.post(content, { changes });
    expect(status).toBe(400);
    expect(body.error.details[0].path).toContain(path);
  });
});
