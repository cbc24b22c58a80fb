import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from '../imports/scene.ts';

const ref = (label: string, path: string) =>
  `{% content-ref url="${path}" %}\n[${label}](${path})\n{% endcontent-ref %}`;
const CARDS =
  '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th>' +
  '<th data-hidden data-card-cover data-type="image"></th></tr></thead><tbody><tr><td>One</td>' +
  '<td><a href="target.md">Words</a></td><td><a href=".gitbook/assets/a.svg">a.svg</a></td></tr></tbody></table>';
const GUIDE = `# Guide\n\n${ref('My words', 'target.md')}\n\n${ref('target.md', 'target.md')}\n\n${CARDS}\n\nText\n`;

let service: TestService;
let scene: ImportScene;
let ids: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  scene = await setImportScene(service);
  await scene.write({
    'SUMMARY.md': '* [Guide](guide.md)\n* [The target\\]](target.md)\n',
    'guide.md': GUIDE,
    'target.md': '# Target\n',
    '.gitbook/assets/a.svg': '<svg/>',
  });
  await scene.import();
  ids = await scene.ids();
});
afterAll(() => service.close());

const markdownOf = async (page: string): Promise<string> =>
  (await scene.get(`/content/page/${page}`)).body.markdown;
const revision = async (): Promise<string> => (await scene.get('/content')).body.id;
const send = (markdown: string) =>
  scene.edit([{ operation: 'update_page', page: ids.guide, document: { markdown } }]);

describe('the labels of content references, cards and covers', () => {
  test('the labels of content references, cards and covers are titles and file names, not ids', async () => {
    const markdown = await markdownOf(ids.guide as string);
    const target = `/pages/${ids.target}`;
    const link = `[The target\\]](${target})`;
    expect(markdown.split(link)).toHaveLength(3);
    expect(markdown).toContain(`<a href="${target}">The target]</a>`);
    expect(markdown).toMatch(/<a href="\/files\/[\w-]+">a\.svg<\/a>/);
  });

  test('labels that are sent back change nothing, even after the target was renamed', async () => {
    const before = await markdownOf(ids.guide as string);
    const start = await revision();
    await send(before);
    expect(await revision()).toBe(start);
    await scene.edit([{ operation: 'update_page', page: ids.target, title: 'Renamed' }]);
    const after = await markdownOf(ids.guide as string);
    expect(after).toContain(`[Renamed](/pages/${ids.target})`);
    expect(after).not.toContain('target]');
    const renamed = await revision();
    await send(before);
    await send(after);
    expect(await revision()).toBe(renamed);
  });

  test('labels in a new block are replaced by the title of the target', async () => {
    const target = `/pages/${ids.target}`;
    const markdown = `${ref('Once', target)}\n\n${CARDS.replace('target.md', target)}\n`;
    await scene.edit([{ operation: 'insert_page', title: 'New', document: { markdown } }]);
    const page = (await scene.ids()).new as string;
    const written = await markdownOf(page);
    expect(written).toContain(`[Renamed](${target})`);
    expect(written).toContain(`<a href="${target}">Renamed</a>`);
    expect(written).not.toMatch(/Once|Words/);
    await scene.edit([{ operation: 'delete_page', page: ids.target }]);
    expect(await markdownOf(page)).toContain(`[Page](${target})`);
  });

  test('labels in blocks that were not edited stay in the file as they were', async () => {
    const fresh = await setImportScene(service);
    await fresh.write({ 'SUMMARY.md': '* [Guide](guide.md)\n* [Target](target.md)\n', 'guide.md': GUIDE });
    await fresh.write({ 'target.md': '# Target\n', '.gitbook/assets/a.svg': '<svg/>' });
    await fresh.import();
    const { guide } = await fresh.ids();
    const { body } = await fresh.get(`/content/page/${guide}`);
    const document = { markdown: body.markdown.replace('Text', 'Edited') };
    await fresh.edit([{ operation: 'update_page', page: guide, document }]);
    const operator = createCaller(toolContext(service.runtime.database, service.runtime.services));
    await operator.installation.exports.writeFolder({ space: fresh.space, folder: fresh.folder });
    expect(await readFile(join(fresh.folder, 'guide.md'), 'utf8')).toBe(GUIDE.replace('Text', 'Edited'));
  });
});
