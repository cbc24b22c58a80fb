import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { exportedFiles, setImportScene } from './scene.ts';

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

test('an edit of a page as Markdown leaves footnotes, definitions and the spelling of links as they are', async () => {
  const scene = await setImportScene(service);
  const lines = [
    'One[^b], [two][g] and [three](my\\_guide.md)[^a].',
    '',
    '[^a]: See [the guide](my\\_guide.md) and [it again][g].',
    '[^b]: See [it][other].',
    '',
    '[g]: my_guide.md',
    '[other]: my\\_guide.md "Title"',
    '',
  ];
  const written = `# Home\n\n${lines.join('\n')}`;
  await scene.write({ 'README.md': written, 'my_guide.md': '# Guide\n\nText.\n' });
  await scene.import();
  const { pages } = (await scene.get('/content')).body;
  const { id } = pages.find(({ title }: { title: string }) => title === 'Home');
  const { markdown } = (await scene.get(`/content/page/${id}?format=markdown`)).body;
  const edited = markdown.replace('One', 'First');
  await scene.edit([{ operation: 'update_page', page: id, document: { markdown: edited } }]);
  expect((await exportedFiles(service, scene))['README.md']).toBe(written.replace('One', 'First'));
});
