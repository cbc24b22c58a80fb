import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

const MARKDOWN =
  '##   Spelled  <a href="#own" id="own"></a>\n\n-   __one__\n-   two\nlines\n\n+ other\n\n![A](a.png)\n\n<foo>\nraw\n</foo>\n\nText\n';

let service: TestService;
let space: EditedSpace;
let page: string;

beforeAll(async () => {
  service = await startTestService();
  space = await editedSpace(service, { Guide: MARKDOWN, Other: 'Text\n' });
  page = space.pages.Guide as string;
});
afterAll(() => service.close());

const markdownOf = async (id: string): Promise<string> =>
  (await space.editor.get(`${space.content}/page/${id}`)).body.markdown;
const edit = (...changes: object[]) => space.editor.post(space.content, { changes });

describe('the document of a page', () => {
  test('the document of a page has the published fields, and anchors where headings have them', async () => {
    const { body } = await space.editor.get(`${space.content}/page/${page}?format=document`);
    expect(body.document.nodes[0]).toMatchObject({
      type: 'heading-1',
      data: { id: 'own' },
      meta: { id: 'own' },
    });
    expect(JSON.stringify(body.document)).not.toMatch(/"format"|"source"|"syntax":"[*_]|"line-break"/);
    const byId = await space.editor.get(`/spaces/${space.id}/documents/${body.documentId}`);
    expect(byId.body).toEqual(body.document);
  });

  test('a document that is sent back as it was read changes nothing', async () => {
    const { body: before } = await space.editor.get(space.content);
    const { body } = await space.editor.get(`${space.content}/page/${page}?format=document`);
    const answer = await edit({ operation: 'update_page', page, document: { document: body.document } });
    expect(answer.status).toBe(200);
    expect(answer.body.revision).toBe(before.id);
  });

  test('a block of an unknown type is kept, returned as its content, and unchanged when sent back', async () => {
    const text = { object: 'text', leaves: [{ object: 'leaf', text: 'Words', marks: [] }] };
    const nodes = [{ object: 'block', type: 'own', key: 'mine', data: { colour: 'red' }, nodes: [text] }];
    const document = { object: 'document', data: { schemaVersion: 1 }, nodes };
    const answer = await edit({ operation: 'insert_page', title: 'Own', document: { document } });
    expect(answer.status).toBe(200);
    const { body: all } = await space.editor.get(`${space.content}/pages`);
    const own = all.pages.find(({ title }: { title: string }) => title === 'Own').id;
    const { body } = await space.editor.get(`${space.content}/page/${own}?format=document`);
    expect(body.document.nodes).toEqual([
      { object: 'block', type: 'paragraph', key: 'mine', isVoid: false, nodes: [text] },
    ]);
    const { body: before } = await space.editor.get(space.content);
    await edit({ operation: 'update_page', page: own, document: { document: body.document } });
    expect((await space.editor.get(space.content)).body.id).toBe(before.id);
  });

  test('a document that is sent back with an edit is spelled as before except where it was edited', async () => {
    const { body } = await space.editor.get(`${space.content}/page/${page}?format=document`);
    const { document } = body;
    document.nodes.at(-1).nodes[0].leaves[0].text = 'Edited';
    await edit({ operation: 'update_page', page, document: { document } });
    expect(await markdownOf(page)).toBe(`# Guide\n\n${MARKDOWN.replace(/Text\n$/, 'Edited\n')}`);
  });

  test('a part of HTML that is edited in a change request leaves the comments and wrappers around it', async () => {
    const markdown =
      '<div align="center" class="x">\nOne\n<!-- kept -->\n<h2>Two</h2>\n<p id="y">Three</p>\n</div>';
    const { editor, changeRequest, pages } = await editedSpace(service, { Guide: markdown });
    const { path } = await changeRequest();
    const guide = `${path}/content/page/${pages.Guide}`;
    const { document } = (await editor.get(`${guide}?format=document`)).body;
    document.nodes[1].nodes[0].leaves[0].text = 'Second';
    const changes = [{ operation: 'update_page', page: pages.Guide, document: { document } }];
    expect((await editor.post(`${path}/content`, { changes })).status).toBe(200);
    expect((await editor.get(guide)).body.markdown).toBe(`# Guide\n\n${markdown.replace('Two', 'Second')}`);
  });
});

test('the Markdown of a page begins with its title, and can be sent back as it was read', async () => {
  const { body: before } = await space.editor.get(space.content);
  const markdown = await markdownOf(page);
  expect(markdown).toMatch(/^# Guide\n\n##/);
  const answer = await edit({ operation: 'update_page', page, document: { markdown } });
  expect(answer.body.revision).toBe(before.id);
});

test('the heading of sent Markdown becomes the title of the page, unless a title is given beside it', async () => {
  const { body } = await space.editor.post(`${space.content}?compat=false`, {
    changes: [
      { operation: 'insert_page', title: 'Old', ref: 'p', document: { markdown: '# Old\n\nText\n' } },
      { operation: 'update_page', page: 'p', document: { markdown: '# New\n\nText\n' } },
    ],
  });
  const { id } = body.changes.pages[0];
  const read = await space.editor.get(`${space.content}/page/${id}`);
  expect(read.body).toMatchObject({ title: 'New', markdown: '# New\n\nText\n' });
  await edit({
    operation: 'update_page',
    page: id,
    title: 'Given',
    document: { markdown: '# Other\n\nText\n' },
  });
  const given = await space.editor.get(`${space.content}/page/${id}`);
  expect(given.body).toMatchObject({ title: 'Given', markdown: '# Given\n\n# Other\n\nText\n' });
});

test('tasks keep their checkboxes in an edit of a page with a footnote that is not used', async () => {
  const markdown = '* [x] one\n* [ ] two\n\nText\n\n[^1]: Note\n';
  const { body } = await space.editor.post(`${space.content}?compat=false`, {
    changes: [{ operation: 'insert_page', title: 'Tasks', document: { markdown } }],
  });
  const { id } = body.changes.pages[0];
  const read = await space.editor.get(`${space.content}/page/${id}?format=document`);
  const { document } = read.body;
  expect(document.nodes[0]).toMatchObject({
    type: 'list-tasks',
    nodes: [{ data: { checked: true } }, { data: { checked: false } }],
  });
  document.nodes[0].nodes[1].nodes[0].nodes[0].leaves[0].text = 'edited';
  expect((await edit({ operation: 'update_page', page: id, document: { document } })).status).toBe(200);
  expect(await markdownOf(id)).toBe(`# Tasks\n\n${markdown.replace('two', 'edited')}`);
});

test('Markdown whose heading is too long for a title is refused', async () => {
  const { status, body } = await edit({
    operation: 'update_page',
    page,
    document: { markdown: `# ${'x'.repeat(201)}\n` },
  });
  expect(status).toBe(400);
  expect(body.error.details[0].path).toBe('changes.0.document.markdown');
});

test('documents in conflicts and descriptions have only published fields', async () => {
  const { path } = await space.changeRequest();
  const rewrite = (at: string, text: string) =>
    space.editor.post(at, {
      changes: [{ operation: 'update_page', page: space.pages.Other, document: { markdown: text } }],
    });
  await rewrite(`${path}/content`, '##   *Ours*\n');
  await rewrite(space.content, '##   *Theirs*\n');
  const { body } = await space.editor.get(`${path}/conflicts`);
  expect(JSON.stringify(body)).toContain('Ours');
  expect(JSON.stringify(body)).not.toMatch(/"format"|"syntax"/);
  const patched = await space.editor.patch(path, { description: { markdown: '##   A *description*\n' } });
  expect(patched.body.description.nodes[0]).toMatchObject({
    type: 'heading-1',
    meta: { id: 'a-description' },
  });
});
