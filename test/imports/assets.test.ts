import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../helpers/folders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { exportedFiles, setImportScene } from './scene.ts';

let service: TestService;
let outside: string;
beforeAll(async () => {
  service = await startTestService();
  outside = await makeFolder('secret');
  await mkdir(join(outside, 'folder'));
  for (const path of ['secret.txt', 'folder/secret.txt']) await writeFile(join(outside, path), 'Secret.');
});
afterAll(() => service.close());

const files = async (scene: Awaited<ReturnType<typeof setImportScene>>): Promise<string[]> =>
  (await scene.get('/content')).body.files.map(({ name }: { name: string }) => name).sort();

test('assets above the root of the documentation, but inside the folder, are imported', async () => {
  const scene = await setImportScene(service);
  await scene.write({
    '.gitbook.yaml': 'root: docs\n',
    '.gitbook/assets/top.txt': 'top',
    'images/beside.txt': 'beside',
    'images/html.txt': 'html',
    'images/unnamed.txt': 'unnamed',
    'docs/README.md':
      '# Home\n\n[A](../images/beside.txt)\n\n![](../.gitbook/assets/top.txt)\n\n<img src="../images/html.txt" alt="">\n',
  });
  const { report } = await scene.import();
  expect(report.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(await files(scene)).toEqual(['beside.txt', 'html.txt', 'top.txt']);
});

test('pictures are found in the folder of GitBook if a page was moved, and stay as they are written', async () => {
  const scene = await setImportScene(service);
  const picture = '![](../../../.gitbook/assets/a.txt)';
  const page = `# A\n\nOne ${picture}\n\n<figure><img src=".gitbook/assets/a.txt" alt=""></figure>\n`;
  await scene.write({ 'README.md': '# Home\n', 'guide/a.md': page, '.gitbook/assets/a.txt': 'a' });
  const { report } = await scene.import();
  expect(report.filter(({ severity }) => severity !== 'info')).toEqual([]);
  const { body } = await scene.get('/content/path/guide%2Fa?format=document');
  const [file] = (await scene.get('/content')).body.files;
  const refs = JSON.stringify(body.document).match(/"ref":\{[^{}]*\}/g);
  expect(refs).toHaveLength(2);
  for (const ref of refs ?? []) expect(ref).toContain(`"file":"${file.id}"`);

  const document = JSON.parse(JSON.stringify(body.document).replace('One ', 'Two '));
  await scene.edit([{ operation: 'update_page', page: body.id, document: { document } }]);
  const exported = await exportedFiles(service, scene);
  expect(exported['guide/a.md']).toBe(page.replace('One ', 'Two '));
});

test('each reference to something outside the folder is reported, and nothing there is ever read', async () => {
  const scene = await setImportScene(service);
  const name = basename(outside);
  await scene.write({ '.gitbook/assets/kept.txt': 'kept' });
  await symlink(join(outside, 'secret.txt'), join(scene.folder, 'link.txt'));
  await symlink(join(outside, 'folder'), join(scene.folder, 'linked'));
  await symlink(`../../../${name}/secret.txt`, join(scene.folder, '.gitbook/assets/relative.txt'));
  const targets = [
    `../${name}/secret.txt`,
    `a/../../${name}/secret.txt`,
    `%2e%2e/${name}/secret.txt`,
    `..%2F${name}%2Fsecret.txt`,
    `${outside}/secret.txt`,
    `/../..${outside}/secret.txt`,
    'link.txt',
    'linked/secret.txt',
    '.gitbook/assets/relative.txt',
  ];
  const lines = targets.map((target) => `![](${target})`).join('\n\n');
  await scene.write({
    'README.md': `---\ncover: ../${name}/secret.txt\n---\n\n# Home\n\n${lines}\n\n<img src="../${name}/secret.txt" alt="">\n`,
  });
  const { report } = await scene.import();
  expect(await files(scene)).toEqual(['kept.txt']);
  const messages = report.map(({ file, line, message }) => `${file}:${line ?? ''} ${message}`).join('\n');
  for (const target of targets) expect(messages).toContain(`The link ${JSON.stringify(target)} `);
  expect(report.filter(({ message }) => message.includes('leads out of the folder')).length).toBeGreaterThan(
    6,
  );
  // A file that pages show is missing.
  for (const path of ['link.txt', 'linked', '.gitbook/assets/relative.txt'])
    expect(report).toContainEqual({
      file: path,
      severity: path === 'linked' ? 'warning' : 'error',
      message: 'This symbolic link leads out of the folder and was not followed.',
    });
});

test('a table of contents or a root outside the folder is refused', async () => {
  const scene = await setImportScene(service);
  await scene.write({ 'README.md': '# Home\n' });
  for (const settings of ['root: ..', `root: ${outside}`, 'structure:\n  summary: ../SUMMARY.md']) {
    await scene.write({ '.gitbook.yaml': `${settings}\n` });
    await expect(scene.import()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  }
});
