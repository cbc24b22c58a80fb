import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

const MARKDOWN = 'Version {{ page.vars.version }} for {{ visitor.claims.name ?? "everybody" }}';
const DETERMINISTIC = 'Version 2 for {{ visitor.claims.name ?? "everybody" }}';
const EVALUATED = 'Version 2 for everybody';

let service: TestService;
let space: EditedSpace;
let page: string;
let revision: string;

beforeAll(async () => {
  service = await startTestService();
  space = await editedSpace(service, { Guide: MARKDOWN });
  page = space.pages.Guide as string;
  const { body } = await space.editor.post(space.content, {
    changes: [{ operation: 'update_page', page, variables: { version: 2 } }],
  });
  revision = `/spaces/${space.id}/revisions/${body.revision}`;
});
afterAll(() => service.close());

test.for([
  ['', MARKDOWN],
  ['?evaluated=false', MARKDOWN],
  ['?evaluated=true', EVALUATED],
  ['?evaluated=deterministic-only', DETERMINISTIC],
] as const)('a page read with %j gives %j, by id and by path', async ([query, markdown]) => {
  for (const at of [space.content, revision]) {
    expect((await space.editor.get(`${at}/page/${page}${query}`)).body.markdown).toBe(
      `# Guide\n\n${markdown}`,
    );
    expect((await space.editor.get(`${at}/path/guide${query}`)).body.markdown).toBe(`# Guide\n\n${markdown}`);
  }
});

test('a page of a change request is evaluated with the variables of that change request', async () => {
  const { path } = await space.changeRequest();
  await space.editor.post(`${path}/content`, {
    changes: [{ operation: 'update_page', page, variables: { version: 3 } }],
  });
  const { body } = await space.editor.get(`${path}/content/page/${page}?evaluated=true`);
  expect(body.markdown).toBe('# Guide\n\nVersion 3 for everybody');
});

test('the document of a page of a revision is only the document, evaluated on request', async () => {
  const path = `${revision}/page/${page}/document`;
  const plain = await space.editor.get(path);
  expect(plain.status).toBe(200);
  expect(plain.body.object).toBe('document');
  expect(plain.body.nodes[0].nodes.map(({ object }: { object: string }) => object)).toEqual([
    'text',
    'inline',
    'text',
    'inline',
  ]);
  const { body } = await space.editor.get(`${path}?evaluated=true`);
  expect(body.nodes[0].nodes).toEqual([
    { object: 'text', leaves: [{ object: 'leaf', text: EVALUATED, marks: [] }] },
  ]);
});

test('the document of a page of a revision is not found for pages without one, or by strangers', async () => {
  const { body } = await space.editor.post(`${space.content}?compat=false`, {
    changes: [{ operation: 'insert_page', title: 'Group', type: 'group' }],
  });
  const group = body.changes.pages[0].id;
  const now = `/spaces/${space.id}/revisions/${body.revision}`;
  expect((await space.editor.get(`${now}/page/${group}/document`)).status).toBe(404);
  expect((await space.editor.get(`${now}/page/${newId()}/document`)).status).toBe(404);
  expect((await space.editor.get(`${now}/reusable-contents/${newId()}/document`)).status).toBe(404);
  expect((await space.editor.get(`${now}/page/${page}/document?evaluated=x`)).status).toBe(400);
  const stranger = await service.build.user();
  expect((await service.as(stranger.token).get(`${now}/page/${page}/document`)).status).toBe(404);
  expect((await service.as().get(`${now}/page/${page}/document`)).status).toBe(401);
});
