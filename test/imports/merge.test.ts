import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from './scene.ts';

let service: TestService;
let scene: ImportScene;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const SUMMARY = '* [Home](README.md)\n* [Guide](guide.md)\n* [Notes](notes.md)\n';
const DOCS = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Home\n\nWelcome.\n',
  'guide.md': '# Guide\n\nFirst.\n\nSecond.\n\nThird.\n',
  'notes.md': '# Notes\n\nOne.\n',
};

const page = async (path: string) => (await scene.ids())[path] as string;
const rewrite = async (path: string, markdown: string) =>
  scene.edit([{ operation: 'update_page', page: await page(path), document: { markdown } }]);

describe('into a space that people edit', () => {
  beforeEach(async () => {
    scene = await setImportScene(service);
    await scene.write(DOCS);
    await scene.import();
  });

  test('changes of the folder alone are merged, in a revision whose parents are those of the space and the import', async () => {
    const before = (await scene.get('/content')).body.id;
    await scene.write({
      'SUMMARY.md': '* [Home](README.md)\n* [The guide](guide.md)\n* [More](more.md)\n',
      'guide.md': '# Guide\n\nFirst!\n\nSecond.\n\nThird.\n',
      'more.md': '# More\n',
      'notes.md': null,
    });
    const { revision, changeRequest, changes } = await scene.import();
    expect(changeRequest).toBeUndefined();
    expect(await scene.read()).toEqual({
      readme: 'Home: Welcome.',
      guide: 'The guide: First!\n\nSecond.\n\nThird.',
      more: 'More: ',
    });
    const { body } = await scene.get('/content');
    expect(body).toMatchObject({ id: revision, type: 'edits', parents: [before, expect.any(String)] });
    expect(changes.map(({ type, path }) => `${type} ${path}`).sort()).toEqual([
      'page_created more',
      'page_deleted notes',
      'page_edited guide',
    ]);
  });

  test('a removed folder is deleted with all pages below it, except those that were moved elsewhere', async () => {
    const folder = {
      'old/README.md': '# Old\n',
      'old/one.md': '# One\n\nWords.\n',
      'old/parts/two.md': '# Two\n\nOther words.\n',
      'old/parts/three.md': '# Three\n\nMore words.\n',
    };
    await scene.write({ ...folder, 'SUMMARY.md': null });
    await scene.import();
    const two = await page('old/parts/two');
    const removed = Object.fromEntries(Object.keys(folder).map((path) => [path, null]));
    await scene.write({ ...removed, 'new/two.md': folder['old/parts/two.md'] });
    const { changes } = await scene.import();
    expect(changes.filter(({ type }) => type === 'page_deleted').map(({ path }) => path)).toEqual([
      'old',
      'old/one',
      'old/parts',
      'old/parts/three',
    ]);
    expect(await scene.ids()).toMatchObject({ 'new/two': two });
    expect(Object.keys(await scene.ids()).filter((path) => path.startsWith('old'))).toEqual([]);
  });

  test('changes of people alone stay: pages added, moved and deleted, texts and titles', async () => {
    await scene.edit([
      { operation: 'insert_page', title: 'Ours', document: { markdown: 'Made here.' } },
      { operation: 'update_page', page: await page('guide'), title: 'Handbook' },
      { operation: 'delete_page', page: await page('notes') },
    ]);
    await rewrite('readme', 'Hello.');
    const edited = await scene.read();
    const { revision } = await scene.import();
    expect(await scene.read()).toEqual(edited);
    expect((await scene.get('/content')).body.id).toBe(revision);

    await scene.write({ 'guide.md': '# Guide\n\nFirst.\n\nSecond!\n\nThird.\n' });
    expect((await scene.import()).changeRequest).toBeUndefined();
    expect(await scene.read()).toEqual({ ...edited, guide: 'Handbook: First.\n\nSecond!\n\nThird.' });
  });

  test('changes of different blocks of a page are merged', async () => {
    await rewrite('guide', 'First by people.\n\nSecond.\n\nThird.');
    await scene.write({ 'guide.md': '# Guide\n\nFirst.\n\nSecond.\n\nThird by the folder.\n' });
    expect((await scene.import()).changeRequest).toBeUndefined();
    expect(await scene.read()).toMatchObject({
      guide: 'Guide: First by people.\n\nSecond.\n\nThird by the folder.',
    });
  });

  test('changes of both sides to the same content go into a change request with conflicts, and the rest is merged', async () => {
    await rewrite('guide', 'First by people.\n\nSecond.\n\nThird.');
    await scene.write({
      'guide.md': '# Guide\n\nFirst by the folder.\n\nSecond!\n\nThird.\n',
      'notes.md': '# Notes\n\nTwo.\n',
    });
    const { changeRequest, changes, report } = await scene.import();
    expect(await scene.read()).toEqual({
      readme: 'Home: Welcome.',
      guide: 'Guide: First by people.\n\nSecond!\n\nThird.',
      notes: 'Notes: Two.',
    });
    expect(changes.map(({ type, path }) => `${type} ${path}`).sort()).toEqual([
      'page_edited guide',
      'page_edited notes',
    ]);
    const name = scene.folder.split('/').at(-1);
    expect(changeRequest).toMatchObject({ number: 1, subject: `Import of ${name}`, conflicts: 1 });
    expect(changeRequest?.changes).toEqual([{ type: 'page_edited', title: 'Guide', path: 'guide' }]);
    expect(report).toMatchObject([
      { file: 'guide.md', severity: 'warning', message: expect.stringContaining('change request #1') },
    ]);

    const id = changeRequest?.id as string;
    expect(await scene.read(id)).toMatchObject({ guide: 'Guide: First by the folder.\n\nSecond!\n\nThird.' });
    const at = `/change-requests/${id}`;
    const { body } = await scene.get(`${at}/conflicts`);
    const conflicts = body.items ?? body;
    expect(conflicts).toMatchObject([
      { kind: 'document-block', page: { id: await page('guide') }, pending: false },
    ]);
    expect((await scene.post(`${at}/merge`)).body.result).toBe('conflicts');
    await scene.edit([{ operation: 'resolve_conflict', conflict: conflicts[0].id, take: 'ours' }], id);
    expect((await scene.post(`${at}/merge`)).body.result).toBe('merge');
    expect(await scene.read()).toMatchObject({ guide: 'Guide: First by the folder.\n\nSecond!\n\nThird.' });

    const again = await scene.import();
    expect([again.changeRequest, again.changes]).toEqual([undefined, []]);
  });

  test('a page deleted in the folder and edited by people, or the reverse, is a conflict', async () => {
    await rewrite('notes', 'Edited.');
    await scene.edit([{ operation: 'delete_page', page: await page('guide') }]);
    await scene.write({
      'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n',
      'guide.md': '# Guide\n\nEdited.\n',
      'notes.md': null,
    });
    const { changeRequest, report } = await scene.import();
    expect(changeRequest).toMatchObject({ conflicts: 2 });
    expect(report.map(({ file }) => file)).toEqual(['guide.md', 'notes.md']);
    expect(Object.keys(await scene.read())).toEqual(['readme', 'notes']);
    expect(Object.keys(await scene.read(changeRequest?.id))).toEqual(['readme', 'guide']);
  });

  test('a conflict does not come back with the next import, whether it was resolved or not', async () => {
    await rewrite('notes', 'By people.');
    await scene.write({ 'notes.md': '# Notes\n\nBy the folder.\n' });
    expect((await scene.import()).changeRequest).toMatchObject({ number: 1 });
    await scene.write({ 'guide.md': '# Guide\n\nFirst.\n' });
    expect((await scene.import()).changeRequest).toBeUndefined();
    expect(await scene.read()).toMatchObject({ guide: 'Guide: First.', notes: 'Notes: By people.' });
  });

  test('a page keeps its id, and what people changed in it, where its file was both renamed and edited', async () => {
    await rewrite('guide', 'First.\n\nSecond.\n\nThird by people.');
    const { guide, notes } = await scene.ids();
    await scene.write({
      'SUMMARY.md': '* [Home](README.md)\n* [Start](start/first.md)\n* [Other](other.md)\n',
      'guide.md': null,
      'start/first.md': '# Guide\n\nFirst!\n\nSecond.\n\nThird.\n',
      'notes.md': null,
      'other.md': '# Other\n\nNothing of the notes is in here, so it is another page.\n',
    });
    expect((await scene.import()).changeRequest).toBeUndefined();
    expect(await scene.read()).toEqual({
      readme: 'Home: Welcome.',
      first: 'Start: First!\n\nSecond.\n\nThird by people.',
      other: 'Other: Nothing of the notes is in here, so it is another page.',
    });
    const ids = await scene.ids();
    expect(ids.first).toBe(guide);
    expect(ids.other).not.toBe(notes);
  });

  test('variables and files follow the folder, also when they are deleted', async () => {
    const vars = { '.gitbook/vars.yaml': 'a: one\nb: two\n', '.gitbook/assets/x.txt': 'x' };
    await scene.write(vars);
    await scene.import();
    expect((await scene.get('/content')).body).toMatchObject({ variables: { a: 'one', b: 'two' } });
    await scene.write({ '.gitbook/vars.yaml': 'b: three\n', '.gitbook/assets/x.txt': null });
    await scene.import();
    const { body } = await scene.get('/content');
    expect([body.variables, body.files]).toEqual([{ b: 'three' }, []]);
  });

  test('each import reports on the whole folder', async () => {
    await scene.write({ 'notes.md': '# Notes\n\n[Gone](gone.md)\n' });
    const { report } = await scene.import();
    expect(report).toMatchObject([{ file: 'notes.md', line: 3 }]);
    await scene.write({ 'guide.md': '# Guide\n\n[Lost](lost.md)\n' });
    expect((await scene.import()).report.map(({ file }) => file)).toEqual(['guide.md', 'notes.md']);
    const unchanged = await scene.import();
    expect(unchanged.report.map(({ file }) => file)).toEqual(['guide.md', 'notes.md']);
    expect(unchanged.changes).toEqual([]);
  });

  test('an unchanged file is parsed again once its links lead elsewhere', async () => {
    await scene.write({ 'notes.md': '# Notes\n\n[Later](later.md)\n' });
    expect((await scene.import()).report).toMatchObject([{ file: 'notes.md' }]);
    await scene.write({ 'SUMMARY.md': `${SUMMARY}* [Later](later.md)\n`, 'later.md': '# Later\n' });
    expect((await scene.import()).report).toEqual([]);
    expect((await scene.read()).notes).toContain(`/pages/${(await scene.ids()).later}`);
    await scene.write({ 'SUMMARY.md': SUMMARY });
    expect((await scene.import()).report).toEqual([]);
    expect((await scene.read()).notes).toMatch(/\[Later\]\(\/files\/[\w-]+\)/);
  });

  test('a dry run returns what would happen, and writes nothing', async () => {
    await rewrite('notes', 'By people.');
    await scene.write({
      'SUMMARY.md': `${SUMMARY}* [More](more.md)\n`,
      'more.md': '# More\n\n![x](.gitbook/assets/new.txt)\n',
      'notes.md': '# Notes\n\nBy the folder.\n',
      '.gitbook/assets/new.txt': 'A file that only a dry run has seen.',
    });
    const tables = ['revision', 'content_object', 'change_request', 'conflict', 'import_branch'] as const;
    const state = async () => {
      const { db } = service.runtime.database;
      const counts = tables.map((table) =>
        db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll().as('count'))
          .executeTakeFirst(),
      );
      return [await Promise.all(counts), (await scene.get('')).body, await scene.read()];
    };
    const before = await state();
    const told = await scene.import({ dryRun: true });
    expect(await state()).toEqual(before);
    const { changes, changeRequest, report } = await scene.import();
    expect(changeRequest).toMatchObject({ conflicts: 1 });
    expect(changes.map(({ type }) => type).sort()).toEqual(['file_created', 'page_created']);
    expect(told).toMatchObject({
      changes: changes.map(({ type, title }) => ({ type, title })),
      changeRequest: { number: changeRequest?.number, conflicts: 1, changes: changeRequest?.changes },
      report,
    });
  });
});
