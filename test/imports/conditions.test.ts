import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const page = (title: string, condition: string) => `---\nif: ${condition}\n---\n\n# ${title}\n`;
const DOCS = {
  'README.md': '# Home\n',
  'pro.md': page('Pro', 'visitor.claims.isPro'),
  'new.md': page('New', 'visitor.claims.isPro && visitor.claims.isNew'),
};
const claim = { type: 'boolean', description: '' };
const schemaOf = (names: string[]) => ({
  jsonSchema: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, claim])),
    additionalProperties: false,
  },
});

test.for([
  ['into the space', {}],
  ['into a change request', { changeRequest: true }],
  ['as a dry run', { dryRun: true }],
])('an import %s reports conditions on claims that no site knows, and goes on', async ([, options]) => {
  const scene = await setImportScene(service);
  const { id } = await service.build.site(scene.organization, { spaces: [scene.space] });
  const schema = `/orgs/${scene.organization}/sites/${id}/adaptive-schema`;
  expect((await scene.admin.put(schema, schemaOf(['isPro']))).status).toBe(200);
  await scene.write(DOCS);
  const { report, pages } = await scene.import(options as object);
  expect(pages).toBe(3);
  const message = expect.stringContaining('the claim isNew');
  expect(report).toEqual([{ file: 'new.md', severity: 'warning', message }]);
});

test('an import into a space without such a site reports no conditions', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  expect((await scene.import()).report).toEqual([]);
});

test('a schema that breaks a condition of a page in a space that an import made is refused', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  const { space } = await scene.import({ space: 'Imported' });
  expect(space).not.toBe(scene.space);
  const { id } = await service.build.site(scene.organization, { spaces: [space] });
  const schema = `/orgs/${scene.organization}/sites/${id}/adaptive-schema`;
  expect((await scene.admin.put(schema, schemaOf(['isPro', 'isNew']))).status).toBe(200);
  expect((await scene.admin.put(schema, schemaOf(['isPro']))).status).toBe(409);
});

test('a schema that breaks a condition of an imported page is refused', async () => {
  const scene = await setImportScene(service);
  const { id } = await service.build.site(scene.organization, { spaces: [scene.space] });
  const schema = `/orgs/${scene.organization}/sites/${id}/adaptive-schema`;
  await scene.admin.put(schema, schemaOf(['isPro', 'isNew']));
  await scene.write(DOCS);
  await scene.import();
  const { status, body } = await scene.admin.put(schema, schemaOf(['isPro']));
  expect(status).toBe(409);
  expect(body.error.details).toEqual([
    { path: (await scene.ids()).new, message: expect.stringContaining('the page "New"') },
  ]);
  await scene.write({ 'new.md': '# New\n' });
  await scene.import();
  expect((await scene.admin.put(schema, schemaOf(['isPro']))).status).toBe(200);
});

test('an import reports conditions in documents that cannot be evaluated, each time, with their lines', async () => {
  const scene = await setImportScene(service);
  const block = (condition: string) => `{% if ${condition} %}\nInside\n{% endif %}\n`;
  const good = block('"plan" in visitor.claims.unsigned');
  await scene.write({ 'README.md': `# Home\n\n${good}\n${block('visitor.claims.plan =')}\n${block('a.b')}` });
  const finding = (line: number, text: string) => ({
    file: 'README.md',
    line,
    severity: 'warning',
    message: expect.stringContaining(text),
  });
  for (let round = 0; round < 2; round++) {
    const { report } = await scene.import();
    expect(report).toEqual([finding(7, 'visitor.claims.plan ='), finding(11, 'There is nothing named a')]);
  }
});

test('an import reports expressions that cannot be evaluated, and what is shown for them', async () => {
  const scene = await setImportScene(service);
  const lines = ['# Home', 'A {{ space.vars.a }}', 'B {{ user.name }}', 'C {{ user.name == "A" }}'];
  await scene.write({ 'README.md': lines.join('\n\n') });
  const { report } = await scene.import();
  const note = { file: 'README.md', message: expect.stringContaining('There is nothing named user') };
  expect(report).toEqual([
    { ...note, line: 5, severity: 'info' },
    { ...note, line: 7, severity: 'warning' },
  ]);
});

test('an import hides what follows the tag of a condition without an end, and pages whose front matter cannot be read, from visitors', async () => {
  const scene = await setImportScene(service);
  const home = '# Home\n\nOpen text.\n\n{% if visitor.claims.isPro %}\n\nSecret text.\n';
  const page = '---\nif: visitor.claims.isPro\nbad: [\n---\n\n# Pro\n\nPro text.\n';
  await scene.write({ 'README.md': home, 'pro.md': page });
  const { report } = await scene.import();
  expect(report).toEqual([
    { file: 'README.md', line: 5, severity: 'warning', message: expect.stringContaining('no {% endif %}') },
    expect.objectContaining({ file: 'pro.md', message: expect.stringContaining('hidden from all visitors') }),
  ]);
  const { id } = await service.build.site(scene.organization, { spaces: [scene.space] });
  await index(service, scene.organization);
  const { apiToken } = await expectOk(
    service.as().post('/urls/published', { url: `http://docs.test/sites/${id}` }),
  );
  const visitor = service.as(apiToken);
  const ids = await scene.ids();
  const seen = await expectOk(
    visitor.get(`/spaces/${scene.space}/content/page/${Object.values(ids)[0]}?format=markdown`),
  );
  expect(seen.markdown).toContain('Open text.');
  expect(seen.markdown).not.toContain('Secret');
  expect((await visitor.get(`/spaces/${scene.space}/content/page/${ids.pro}`)).status).toBe(404);
  const search = (query: string) => expectOk(visitor.get(`/spaces/${scene.space}/search?query=${query}`));
  expect((await search('open')).items).toHaveLength(1);
  for (const query of ['secret', 'pro']) expect((await search(query)).items).toHaveLength(0);
  // Members see all of it.
  const whole = await expectOk(scene.admin.get(`/spaces/${scene.space}/search?query=secret`));
  expect(whole.items).toHaveLength(1);
});
