import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('links and pictures in footnotes lead to pages and files, in whatever order the footnotes are', async () => {
  const scene = await setImportScene(service);
  const notes =
    '[^a]: See [the guide](guide.md), [it again][g] and ![](picture.png).\n[^b]: See [nothing](none.md).\n\n[g]: guide.md\n[unused]: unused.md\n';
  await scene.write({
    'README.md': `# Home\n\nOne[^b], two[^a].\n\n${notes}`,
    'guide.md': '# Guide\n\nText.\n',
    'picture.png': 'picture',
  });
  const { report } = await scene.import();
  expect(report.filter(({ severity }) => severity !== 'info')).toEqual([
    expect.objectContaining({ line: 6, message: expect.stringContaining('"none.md"') }),
  ]);
  const { files, pages } = (await scene.get('/content')).body;
  expect(files).toEqual([expect.objectContaining({ name: 'picture.png' })]);
  const idOf = (title: string) => pages.find((page: { title: string }) => page.title === title).id;
  const { body } = await scene.get(`/content/page/${idOf('Home')}?format=document`);
  const refs = JSON.stringify(body.document)
    .split('"type":"annotation-body"')
    .slice(1)
    .map((note) => [...note.matchAll(/"ref":(\{[^{}]*\})/g)].map(([, ref = '']) => JSON.parse(ref)));
  const guide = { kind: 'page', page: idOf('Guide') };
  expect(refs).toEqual([
    [expect.objectContaining({ kind: 'url', url: 'none.md' })],
    [guide, guide, expect.objectContaining({ kind: 'file', file: files[0].id })],
  ]);
});
