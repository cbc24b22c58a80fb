import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from '../imports/scene.ts';
import { update } from './scene.ts';

let service: TestService;
let scene: ImportScene;
let visitor: Client;
beforeAll(async () => {
  service = await startTestService();
  scene = await setImportScene(service);
  const { id: site } = await service.build.site(scene.organization);
  await service.build.siteSpace(site, { path: 'docs', space: scene.space, isDefault: true });
  await scene.write({
    'README.md': '# Home',
    'a.md': '# A',
    'b.md': '# B',
    'c.md': '# C',
    'api.yaml':
      "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get: {tags: [Pets], summary: List pets}\n",
    'SUMMARY.md': summary('* [A](a.md)\n  * [B](b.md)\n* [C](c.md)\n'),
  });
  await scene.import();
  const { body } = await service.as().post('/urls/published', { url: `http://docs.test/sites/${site}` });
  visitor = service.as(body.apiToken);
});
afterAll(() => service.close());

const summary = (pages: string) =>
  `* [Home](README.md)\n${pages}* \`\`\`yaml\n  type: builtin:openapi\n  dependencies:\n    spec:\n      ref: {kind: file, file: api.yaml}\n  \`\`\`\n`;

async function find(path: string): Promise<string | number> {
  const at = `/spaces/${scene.space}/content/path/${encodeURIComponent(path)}`;
  const { status, body } = await visitor.get(at);
  return status === 200 ? body.path : status;
}

test('pages that an import moves are found by their earlier paths', async () => {
  expect(await find('a/b')).toBe('a/b');
  await scene.write({ 'SUMMARY.md': summary('* [A](a.md)\n* [C](c.md)\n  * [B](b.md)\n') });
  await scene.import();
  expect(await find('c/b')).toBe('c/b');
  expect(await find('a/b')).toBe('c/b');
});

test('a page whose file was renamed is found by its earlier paths, and so are the pages below it', async () => {
  await scene.write({
    'c.md': null,
    'renamed.md': '# C',
    'SUMMARY.md': summary('* [A](a.md)\n* [C](renamed.md)\n  * [B](b.md)\n'),
  });
  await scene.import();
  expect(await find('c')).toBe('renamed');
  expect([await find('c/b'), await find('a/b')]).toEqual(['renamed/b', 'renamed/b']);
});

test('the pages of a renamed computed page are found by their earlier paths', async () => {
  const made = 'api-reference/pets/list-pets';
  expect(await find(made)).toBe(made);
  const ids = await scene.ids();
  await scene.edit([update(ids['api-reference'], { slug: 'http' })]);
  expect(await find(made)).toBe('http/pets/list-pets');
  expect(await find('api-reference')).toBe('http');
  expect(await find('api-reference/pets/nothing')).toBe(404);
});
