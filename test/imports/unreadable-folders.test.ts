import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { DOCS, importedScene } from './imported-scene.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('what was imported from a folder that is now a link out of the source stays as it was', async () => {
  const scene = await importedScene(service, {
    'README.md': '# Home\n\n![](parts/a.png)\n',
    'parts/README.md': '# Parts\n',
    'parts/one.md': '# One\n\nWords.\n',
    'parts/a.png': 'picture',
  });
  const [ids, pages, { files }] = [await scene.ids(), await scene.read(), (await scene.get('/content')).body];
  await rm(join(scene.folder, 'parts'), { recursive: true });
  await symlink('/', join(scene.folder, 'parts'));
  const { changes, report } = await scene.import();
  expect(changes).toEqual([]);
  expect(report).toEqual([
    {
      file: 'parts',
      severity: 'error',
      message:
        'This symbolic link leads out of the folder and was not followed. What was imported from it stays as it was.',
    },
  ]);
  expect([await scene.ids(), await scene.read()]).toEqual([ids, pages]);
  expect((await scene.get('/content')).body.files).toEqual(files);
});

test('pages that are found through another link are moved there', async () => {
  const scene = await importedScene(service, {
    'README.md': '# Home\n',
    '.gitbook/shared/one.md': '# One\n\nWords.\n',
  });
  await symlink('.gitbook/shared', join(scene.folder, 'b'));
  await scene.import();
  const { 'b/one': one } = await scene.ids();
  expect(one).toBeDefined();
  await symlink('.gitbook/shared', join(scene.folder, 'a'));
  await scene.import();
  expect(await scene.ids()).toEqual({ readme: expect.anything(), a: expect.anything(), 'a/one': one });
});

test.runIf(process.getuid?.() !== 0)('a folder that may not be read loses nothing', async () => {
  const scene = await importedScene(service, { 'README.md': '# Home\n', 'parts/one.md': '# One\n' });
  const ids = await scene.ids();
  await chmod(join(scene.folder, 'parts'), 0);
  const { changes } = await scene.import();
  await chmod(join(scene.folder, 'parts'), 0o755);
  expect([changes, await scene.ids()]).toEqual([[], ids]);
});

test.runIf(process.getuid?.() !== 0)('a picture that may not be read does not stop an import', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  await chmod(join(scene.folder, 'only-here.png'), 0);
  const message = 'This file cannot be read (EACCES).';
  const first = await scene.import();
  expect(first.pages).toBe(4);
  expect(first.report).toContainEqual({ file: 'only-here.png', severity: 'error', message });
  await chmod(join(scene.folder, 'only-here.png'), 0o644);
  expect((await scene.import()).report).toEqual([]);
  await chmod(join(scene.folder, 'only-here.png'), 0);
  const again = await scene.import();
  expect(again.changes).toEqual([]);
  expect(again.report).toEqual([
    { file: 'only-here.png', severity: 'error', message: `${message} The imported file stays as it was.` },
  ]);
});

test('nothing is imported if the settings are a link out of the folder', async () => {
  const scene = await importedScene(service, {
    '.gitbook.yaml': 'root: docs\n',
    'docs/README.md': '# Home\n',
    'a.md': '',
  });
  const ids = await scene.ids();
  await rm(join(scene.folder, '.gitbook.yaml'));
  await symlink('/etc/hostname', join(scene.folder, '.gitbook.yaml'));
  await expect(scene.import()).rejects.toThrow('.gitbook.yaml: This symbolic link leads out of the folder');
  expect(await scene.ids()).toEqual(ids);
});
