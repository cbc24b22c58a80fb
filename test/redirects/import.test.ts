import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from '../imports/scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const config = (redirects: string) => `redirects:\n${redirects}`;

/** A folder with two pages and some redirects, and a site that shows the space as the variant `v2`. */
async function setScene(redirects: string) {
  const scene = await setImportScene(service);
  const site = (await service.build.site(scene.organization)).id;
  const first = await service.build.space(scene.organization);
  await service.build.siteSpace(site, { path: 'v1', space: first.id, isDefault: true });
  const siteSpace = (await service.build.siteSpace(site, { path: 'v2', space: scene.space })).id;
  await scene.write({
    'README.md': '# Home',
    'guides/start.md': '# Start',
    'SUMMARY.md': '* [Home](README.md)\n* [Start](guides/start.md)\n',
    '.gitbook.yaml': config(redirects),
  });
  return { scene, site, siteSpace };
}

const redirectsOf = async ({ scene, site }: { scene: ImportScene; site: string }) => {
  const { body } = await scene.admin.get(`/orgs/${scene.organization}/sites/${site}/redirects`);
  const ids = Object.entries(await scene.ids());
  return Object.fromEntries(
    body.items.map(({ source, destination }: { source: string; destination: { pageId: string } }) => [
      source,
      ids.find(([, id]) => id === destination.pageId)?.[0],
    ]),
  );
};

const notesOf = ({ report }: { report: { file: string; message: string }[] }) =>
  report.filter(({ file }) => file === '.gitbook.yaml').map(({ message }) => message);

test('the redirects of an imported folder are added to the site, below the path of the space', async () => {
  const given = await setScene(
    '  old/start: guides/start.md\n  /home page/: README.md#top\n  a%2e: guides/start\n  a%2Fb/c: README.md\n',
  );
  const outcome = await given.scene.import({ site: 'Site' });
  expect(notesOf(outcome)).toEqual([]);
  expect(await redirectsOf(given)).toEqual({
    '/v2/old/start': 'start',
    '/v2/home%20page': 'readme',
    '/v2/a.': 'start',
    '/v2/a%2Fb/c': 'readme',
  });
  const found = await service.as().post('/urls/published', {
    url: `http://docs.test/sites/${given.site}/v2/old/start`,
  });
  expect(found.body.redirect).toBe(`http://docs.test/sites/${given.site}/v2/start`);
});

test('the redirects of an imported folder are reported if no site is given', async () => {
  const { scene, site } = await setScene('  old: README.md\n');
  expect(notesOf(await scene.import())).toEqual([
    'The redirects were not imported: they belong to a site, and no site was named.',
  ]);
  expect(await redirectsOf({ scene, site })).toEqual({});
});

test('changed redirects of a folder are changed on the site, and those created by users are kept', async () => {
  const given = await setScene(
    '  one: README.md\n  two: README.md\n  three: README.md\n  theirs: README.md\n',
  );
  const { scene, site, siteSpace } = given;
  const redirects = `/orgs/${scene.organization}/sites/${site}/redirects`;
  await scene.import();
  const { start } = await scene.ids();
  const destination = { kind: 'site-page', siteSpaceId: siteSpace, pageId: start };
  await scene.admin.post(redirects, { source: '/v2/theirs', destination });
  const theirs = ['The redirect of "/v2/theirs" was not imported: the site has another one.'];
  expect(notesOf(await scene.import({ site }))).toEqual(theirs);

  const { items } = (await scene.admin.get(redirects)).body;
  const three = items.find(({ source }: { source: string }) => source === '/v2/three');
  await scene.admin.patch(`${redirects}/${three.id}`, { source: '/v2/thrice' });
  await scene.write({ '.gitbook.yaml': config('  one: guides/start.md\n  theirs: README.md\n') });
  expect(notesOf(await scene.import({ site, dryRun: true }))).toEqual(theirs);
  expect((await redirectsOf(given))['/v2/one']).toBe('readme');
  await scene.import({ site });
  expect(await redirectsOf(given)).toEqual({
    '/v2/one': 'start',
    '/v2/theirs': 'start',
    '/v2/thrice': 'readme',
  });
  const { body } = await scene.admin.get(`/orgs/${scene.organization}/events?type=site.updated`);
  await scene.import({ site });
  const after = (await scene.admin.get(`/orgs/${scene.organization}/events?type=site.updated`)).body;
  expect([body.count, after.count]).toEqual([4, 4]);
});

test('redirects with an invalid path, or to a page that does not exist, are reported', async () => {
  const { scene, site } = await setScene(
    '  a/../b: README.md\n  "%": README.md\n  c?d: README.md\n  /: README.md\n  e: gone.md\n  f: https://example.com\n  g: ../x.md\n',
  );
  const notes = notesOf(await scene.import({ site }));
  expect(notes).toHaveLength(7);
  for (const note of notes) expect(note).toMatch(/^The redirect of ".*" was not imported: /);
  expect(notes).toContain('The redirect of "e" was not imported: "gone.md" does not exist.');
  expect(await redirectsOf({ scene, site })).toEqual({});
});

test('more redirects are imported than a statement has parameters for', async () => {
  const given = await setScene(
    Array.from({ length: 12_000 }, (_, index) => `  old/${index}: README.md\n`).join(''),
  );
  await given.scene.import({ site: given.site });
  const { body } = await given.scene.admin.get(
    `/orgs/${given.scene.organization}/sites/${given.site}/redirects?limit=1`,
  );
  expect(body.count).toBe(12_000);
});

test('a site without the space is refused, and nothing is imported', async () => {
  const { scene } = await setScene('  one: README.md\n');
  const other = await service.build.site(scene.organization, { title: 'Other' });
  await expect(scene.import({ site: other.id })).rejects.toThrow('This space is not on the site');
  const early = vi.fn();
  await expect(scene.import({ site: other.id, space: 'New', onProgress: early })).rejects.toThrow(
    'This space is not on the site',
  );
  expect(early).not.toHaveBeenCalled();
  await expect(scene.import({ site: 'Nobody' })).rejects.toThrow('There is no such site.');
  expect(await scene.read()).toEqual({});
});

test('a site without the space is refused before the folder is read', async () => {
  const { scene, site } = await setScene('  one: README.md\n');
  const { database, services } = service.runtime;
  const operator = createCaller(toolContext(database, services));
  const onProgress = vi.fn();
  const { folder, organization } = scene;
  const into = { folder, organization, site, space: 'Brand new', onProgress };
  await expect(operator.installation.content.importFolder(into)).rejects.toThrow(
    'This space is not on the site: add it to the site first.',
  );
  expect(onProgress).not.toHaveBeenCalled();
});

test('an export writes the redirects as they were imported', async () => {
  const { scene, site } = await setScene('  one: README.md # why\n');
  await scene.import({ site });
  const folder = await makeFolder('export');
  const { database, services } = service.runtime;
  const operator = createCaller(toolContext(database, services));
  await operator.installation.exports.writeFolder({
    folder,
    space: scene.space,
    organization: scene.organization,
  });
  expect(await readFile(join(folder, '.gitbook.yaml'), 'utf8')).toBe(config('  one: README.md # why\n'));
});
