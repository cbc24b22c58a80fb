import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { apiSpace, OPERATIONS } from '../content/api-space.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { makeFolder } from '../helpers/folders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const computed = (indent: string, ref: string) =>
  `* \`\`\`yaml
  type: builtin:openapi
  dependencies:
    spec:
      ref:
        ${ref}
  \`\`\`
`.replace(/^/gm, indent);
const FILE = 'kind: file\n        file: api/openapi.yaml';
const SPEC = 'kind: openapi\n        spec: pets';

const API = JSON.stringify(
  apiWith({
    'get /pets': { tags: ['Pets'], summary: 'List pets' },
    'post /pets': { tags: ['Pets'], summary: 'Add a pet' },
  }),
);
const HOME = `# Home

[a](/api-reference/pets/list-pets) [b](api-reference/pets/add-a-pet.md#body) [c](api-reference/Pets/)

[d](/api-reference) [e](api-reference/pets/never.md)
`;
const START = '# Start\n\n[a](../api-reference/pets/list-pets.md) and [b](api-reference/pets/list-pets)\n';

const brokenIn = ({ report }: Awaited<ReturnType<ImportScene['import']>>) =>
  report.filter(({ message }) => message.includes('stays as written')).map(({ message }) => message);

/** The paths of the pages that the links in a space lead to, and the URLs of broken links. */
async function targetsIn({ admin, space }: ImportScene) {
  const { items } = (await admin.get(`/spaces/${space}/links`)).body;
  return items
    .flatMap(
      (link: {
        reference: { kind: string; url?: string };
        targetReference?: { page?: { path?: string } };
      }) =>
        link.reference.kind === 'file' || link.reference.kind === 'openapi'
          ? []
          : [link.targetReference?.page?.path ?? link.reference.url],
    )
    .toSorted();
}

async function scene(ref: string, root = '') {
  const made = await setImportScene(service);
  const at = (path: string) => root + path;
  await made.write({
    ...(root && { '.gitbook.yaml': `root: ./${root}\n` }),
    [at('README.md')]: HOME,
    [at('guides/README.md')]: '# Guides\n',
    [at('guides/start.md')]: START,
    [at('api/openapi.yaml')]: API,
    [at('SUMMARY.md')]:
      `* [Home](README.md)\n${computed('', ref)}* [Guides](guides/README.md)\n  * [Start](guides/start.md)\n${computed('  ', ref)}`,
  });
  return made;
}

const TARGETS = [
  'api-reference',
  'api-reference/pets',
  'api-reference/pets/add-a-pet',
  'api-reference/pets/list-pets',
  'api-reference/pets/never.md',
  'guides/api-reference/pets/list-pets',
];

test.each([[''], ['docs/']])(
  'links in imported files lead to pages generated from a file, in the folder "%s"',
  async (root) => {
    const made = await scene(FILE, root);
    const expected = ['The link "api-reference/pets/never.md" does not exist; it stays as written.'];
    expect(brokenIn(await made.import({ dryRun: true }))).toEqual(expected);
    expect(brokenIn(await made.import())).toEqual(expected);
    expect(await targetsIn(made)).toEqual(TARGETS);
    const { revision } = (await made.get(`/spaces/${made.space}`)).body;
    await made.import();
    expect((await made.get(`/spaces/${made.space}`)).body.revision).toBe(revision);
  },
);

test('links in imported files lead to pages generated from a spec once it has been published', async () => {
  const made = await scene(SPEC);
  expect(brokenIn(await made.import())).toHaveLength(6);
  await publishSpec(service, made.organization, 'pets', JSON.parse(API));
  expect(brokenIn(await made.import())).toHaveLength(1);
  expect(await targetsIn(made)).toEqual(TARGETS);
});

const exportTo = (space: string, folder: string) =>
  createCaller(
    toolContext(service.runtime.database, service.runtime.services),
  ).installation.exports.writeFolder({ space, folder });

test('an export keeps links to generated pages as they were written, and writes new ones by path', async () => {
  const made = await scene(FILE, 'docs/');
  await made.import();
  const { 'guides/start': start, 'api-reference/pets': tag } = await made.ids();
  const markdown = `# Start\n\n[a](../api-reference/pets/list-pets.md) and [b](api-reference/pets/list-pets), edited.\n\n[c](/pages/${tag}#list)\n`;
  await made.edit([{ operation: 'update_page', page: start, document: { markdown } }]);
  await exportTo(made.space, made.folder);
  expect(await readFile(join(made.folder, 'docs/guides/start.md'), 'utf8')).toBe(
    '# Start\n\n[a](../api-reference/pets/list-pets.md) and [b](api-reference/pets/list-pets), edited.\n\n[c](../api-reference/pets.md#list)\n',
  );
  expect(await readFile(join(made.folder, 'docs/README.md'), 'utf8')).toBe(HOME);
});

test('links to generated pages lead to those of another space after an export and an import', async () => {
  const from = await apiSpace(service);
  const { at } = from;
  await from.write(`[a](/pages/${at['api/pets/list-pets']}) [b](/pages/${at['guide/reference/pets']})`);
  // A table of contents has no titles of computed pages.
  const rename = (page: string | undefined) => ({
    operation: 'update_page',
    page,
    title: 'API reference',
    slug: null,
  });
  const changes = [rename(from.computed), rename(at['guide/reference'])];
  expect((await from.admin.post(from.content, { changes })).status).toBe(200);
  const folder = await makeFolder('exported');
  await exportTo(from.id, folder);
  expect(await readFile(join(folder, 'links.md'), 'utf8')).toContain(
    '[a](api-reference/pets/list-pets.md) [b](guide/api-reference/pets.md)',
  );
  const made = await setImportScene(service);
  await publishSpec(service, made.organization, 'pets', apiWith(OPERATIONS));
  const { installation } = createCaller(toolContext(service.runtime.database, service.runtime.services));
  const { space, organization } = made;
  const { report } = await installation.content.importFolder({ folder, space, organization });
  expect(report).toEqual([]);
  expect(await targetsIn(made)).toEqual(['api-reference/pets/list-pets', 'guide/api-reference/pets']);
});

test('an imported redirect leads to a generated page', async () => {
  const made = await scene(FILE);
  await made.write({ '.gitbook.yaml': 'redirects:\n  old: api-reference/pets/list-pets.md\n' });
  const site = (await service.build.site(made.organization)).id;
  await service.build.siteSpace(site, { path: 'v1', space: made.space, isDefault: true });
  const { report } = await made.import({ site: 'Site' });
  expect(report.filter(({ file }) => file === '.gitbook.yaml')).toEqual([]);
  await made.post(`/orgs/${made.organization}/sites/${site}/publish`);
  const found = await service.as().post('/urls/published', { url: `http://docs.test/sites/${site}/old` });
  expect(found.body.redirect).toBe(`http://docs.test/sites/${site}/api-reference/pets/list-pets`);
});
