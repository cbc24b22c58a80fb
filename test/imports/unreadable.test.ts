import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { DOCS, importedScene, SUMMARY } from './imported-scene.ts';
import { exportedFiles, setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const LATIN1 = Buffer.from('# Caf\xe9\n\nNew words.\n', 'latin1');
const GUIDE_ERROR = {
  file: 'guide.md',
  severity: 'error',
  message: 'This file is not UTF-8 text and was not read. Its page stays as it was.',
};

describe('a file of a page that can no longer be read', () => {
  test('leaves the page as it was, with its id, settings, children and files, and links to it', async () => {
    const scene = await importedScene(service);
    const [ids, pages, before] = [await scene.ids(), await scene.read(), (await scene.get('/content')).body];
    const guide = ids.handbook;
    const page = (await scene.get(`/content/page/${guide}`)).body;
    await scene.write({ 'guide.md': LATIN1, 'notes.md': '# Notes\n\nTwo.\n' });

    const dry = await scene.import({ dryRun: true });
    expect([dry.changes, dry.report]).toEqual([
      [{ type: 'page_edited', title: 'Notes', path: 'notes' }],
      [GUIDE_ERROR],
    ]);
    const { changes, report } = await scene.import();
    expect([changes, report]).toEqual([dry.changes, dry.report]);
    expect(await scene.ids()).toEqual(ids);
    expect(await scene.read()).toEqual({ ...pages, notes: 'Notes: Two.' });
    expect((await scene.get(`/content/page/${guide}`)).body).toEqual(page);
    expect((await scene.get('/content')).body.files).toEqual(before.files);
    expect(await exportedFiles(service, scene)).toEqual({ ...DOCS, 'notes.md': '# Notes\n\nTwo.\n' });

    const again = await scene.import();
    expect([again.changes, again.report]).toEqual([[], [GUIDE_ERROR]]);
    await scene.write({ 'guide.md': '# Guide\n\nSecond.\n\n![](only-here.png)\n' });
    const mended = await scene.import();
    expect(mended.report).toEqual([]);
    expect((await scene.ids()).handbook).toBe(guide);
    expect((await scene.read()).handbook).toMatch(/^Guide: Second\./);
  });

  test('moves to the place that the new table of contents gives it', async () => {
    const scene = await importedScene(service);
    const { handbook, 'handbook/step': step, notes } = await scene.ids();
    const summary =
      '* [Home](README.md)\n* [Notes](notes.md)\n  * [The guide](guide.md)\n    * [Step](step.md)\n';
    await scene.write({ 'guide.md': LATIN1, 'SUMMARY.md': summary });
    const { changes } = await scene.import();
    expect(changes.filter(({ type }) => /created|deleted/.test(type))).toEqual([]);
    expect(await scene.ids()).toMatchObject({
      notes,
      'notes/handbook': handbook,
      'notes/handbook/step': step,
    });
    expect((await scene.read())['notes/handbook']).toMatch(/^The guide: First\./);
    expect(await exportedFiles(service, scene)).toEqual({ ...DOCS, 'SUMMARY.md': summary });
  });

  test('is not taken for the former place of a new page that is similar', async () => {
    const scene = await importedScene(service);
    const { handbook } = await scene.ids();
    await scene.write({
      'guide.md': LATIN1,
      'copy.md': DOCS['guide.md'].replace('slug: handbook\n', ''),
      'SUMMARY.md': `${SUMMARY}* [Copy](copy.md)\n`,
    });
    await scene.import();
    const ids = await scene.ids();
    expect(ids.handbook).toBe(handbook);
    expect(ids.copy).not.toBe(handbook);
  });

  test('changes nothing that people have edited, and a link to a page that is gone is reported', async () => {
    const scene = await importedScene(service, {
      ...DOCS,
      'guide.md': '# Guide\n\n[Notes](notes.md) ![](only-here.png)\n',
    });
    const { guide } = await scene.ids();
    await scene.edit([
      { operation: 'update_page', page: guide, title: 'By people', document: { markdown: 'Ours.' } },
    ]);
    await scene.write({ 'guide.md': LATIN1 });
    const { changes, changeRequest } = await scene.import();
    expect([changes, changeRequest]).toEqual([[], undefined]);
    expect((await scene.read()).guide).toBe('By people: Ours.');

    await scene.write({ 'notes.md': null, 'SUMMARY.md': SUMMARY.replace('* [Notes](notes.md)\n', '') });
    const { report } = await scene.import();
    const messages = report.filter(({ file }) => file === 'guide.md').map(({ message }) => message);
    expect(messages).toContain('The link "notes.md" does not exist; it stays as written.');
  });

  test('is proposed as it was, too', async () => {
    const scene = await importedScene(service);
    await scene.write({ 'guide.md': LATIN1, 'notes.md': '# Notes\n\nTwo.\n' });
    const { changeRequest } = await scene.import({ changeRequest: true });
    expect(changeRequest).toMatchObject({ conflicts: 0, changes: [{ type: 'page_edited', path: 'notes' }] });
    expect(await scene.ids(changeRequest?.id)).toEqual(await scene.ids());
  });
});

describe('a page whose file was renamed and can no longer be read', () => {
  const renamed = async (files: Record<string, string | Uint8Array | null>) => {
    const scene = await importedScene(service);
    const { handbook } = await scene.ids();
    const comment = { body: { markdown: 'Keep me.' }, page: handbook };
    const { id } = (await scene.post('/comments', comment)).body;
    await scene.write({ 'guide.md': null, ...files });
    const { changes, report } = await scene.import();
    const after = (await scene.get(`/content/page/${handbook}`)).body;
    return { scene, handbook, after, changes, report, comment: await scene.get(`/comments/${id}`) };
  };
  const noteOf = (file: string) => ({
    file,
    severity: 'error',
    message: `This file is not UTF-8 text and was not read. It is taken for "guide.md" under a new name. Its page stays as it was.`,
  });

  test.each([
    ['by its bytes', 'manual.md', Buffer.from(`${DOCS['guide.md']}caf\xe9\n`, 'latin1'), 'The manual'],
    ['by its name', 'parts/guide.md', LATIN1, 'The manual'],
    ['by its title', 'manual.md', LATIN1, 'Guide'],
  ])('is found %s, and keeps its comments and children', async (_, path, bytes, title) => {
    const summary = SUMMARY.replace('[Guide](guide.md)', `[${title}](${path})`);
    const run = await renamed({ [path]: bytes, 'SUMMARY.md': summary });
    expect(run.report).toContainEqual(noteOf(path));
    expect(run.changes.filter(({ type }) => /page_(?:created|deleted)/.test(type))).toEqual([]);
    expect(run.after).toMatchObject({ id: run.handbook, title });
    expect(run.after.markdown).toContain('\nFirst.\n');
    expect(run.comment.status).toBe(200);
    expect((await run.scene.ids())['handbook/step']).toBeDefined();
    expect((await exportedFiles(service, run.scene))[path]).toBe(DOCS['guide.md']);

    expect((await run.scene.import()).changes).toEqual([]);
    await run.scene.write({ [path]: '# Manual\n\nNew words.\n' });
    const { changes } = await run.scene.import();
    expect(changes.filter(({ type }) => /page_(?:created|deleted)/.test(type))).toEqual([]);
    expect((await run.scene.get(`/content/page/${run.handbook}`)).body.markdown).toContain('New words.');
  });

  test('is not taken for one of several pages, or for one whose place another file has taken', async () => {
    const several = await importedScene(service, {
      'README.md': '# Home\n',
      'a/guide.md': '# Guide\n\nA.\n',
      'b/guide.md': '# Guide\n\nB.\n',
    });
    await several.write({ 'a/guide.md': null, 'b/guide.md': null, 'c/guide.md': LATIN1 });
    const { changes, report } = await several.import();
    expect(changes.filter(({ type }) => type === 'page_deleted')).toHaveLength(4);
    expect(report).toEqual([
      { file: 'c/guide.md', severity: 'error', message: 'This file is not UTF-8 text and was not read.' },
    ]);

    const taken = await renamed({
      'moved.md': DOCS['guide.md'],
      'parts/guide.md': LATIN1,
      'SUMMARY.md': SUMMARY.replace('guide.md', 'moved.md').concat('* [Guide](parts/guide.md)\n'),
    });
    expect((await taken.scene.get(`/content/page/${taken.handbook}`)).body.git.path).toBe('moved.md');
    expect(taken.report.map(({ file, message }) => `${file}: ${message}`)).toContain(
      'parts/guide.md: This file is not UTF-8 text and was not read.',
    );
  });
});

test('a page whose file is removed is deleted even if others cannot be read', async () => {
  const scene = await importedScene(service);
  await scene.write({
    'guide.md': LATIN1,
    'notes.md': null,
    'SUMMARY.md': SUMMARY.replace('* [Notes](notes.md)\n', ''),
  });
  const { changes } = await scene.import();
  expect(changes.map(({ type, path }) => `${type} ${path}`)).toEqual(['page_deleted notes']);
});

test('on a first import, a page that cannot be read is left out and reported', async () => {
  const scene = await setImportScene(service);
  await scene.write({ ...DOCS, 'notes.md': LATIN1 });
  const { pages, report } = await scene.import();
  expect(pages).toBe(3);
  expect(report).toEqual([
    { file: 'notes.md', severity: 'error', message: 'This file is not UTF-8 text and was not read.' },
  ]);
});

test('if none of the pages can be read any more, nothing is imported', async () => {
  const scene = await importedScene(service, { 'README.md': '# Home\n', 'a.md': '# A\n' });
  const pages = await scene.ids();
  await scene.write({ 'README.md': LATIN1, 'a.md': LATIN1 });
  await expect(scene.import()).rejects.toThrow('None of the pages can be read as Markdown. README.md: ');
  expect(await scene.ids()).toEqual(pages);
});

test('a table of contents, variables and reusable content that can no longer be read stay as they were', async () => {
  const docs = { ...DOCS, '.gitbook/vars.yaml': 'product: Colophon\n' };
  const scene = await importedScene(service, docs);
  const [ids, before] = [await scene.ids(), (await scene.get('/content')).body];
  await scene.write({
    'SUMMARY.md': LATIN1,
    '.gitbook/vars.yaml': LATIN1,
    '.gitbook/includes/shared.md': LATIN1,
    'notes.md': '# Notes\n\nTwo.\n',
  });
  const { changes, report } = await scene.import();
  expect(changes).toEqual([{ type: 'page_edited', title: 'Notes', path: 'notes' }]);
  const problem = 'This file is not UTF-8 text and was not read.';
  expect(report).toEqual([
    {
      file: '.gitbook/includes/shared.md',
      severity: 'error',
      message: `${problem} The reusable content stays as it was.`,
    },
    { file: '.gitbook/vars.yaml', severity: 'error', message: `${problem} The variables stay as they were.` },
    { file: 'SUMMARY.md', severity: 'error', message: `${problem} The table of contents stays as it was.` },
  ]);
  expect(await scene.ids()).toEqual(ids);
  const after = (await scene.get('/content')).body;
  expect([after.variables, after.reusableContents]).toEqual([before.variables, before.reusableContents]);
  expect(await exportedFiles(service, scene)).toEqual({ ...docs, 'notes.md': '# Notes\n\nTwo.\n' });
});

test.each([
  ['is not valid YAML', 'product: Colophon\nversion: [1\n', /^The file is not valid YAML: .+\.$/, 3],
  ['is not a mapping', '- product\n', /^The file is not a mapping of names to values\.$/, undefined],
])('variables stay as they were if their file %s', async (_, malformed, problem, line) => {
  const docs = { ...DOCS, '.gitbook/vars.yaml': 'product: Colophon\nversion: "2"\n' };
  const scene = await importedScene(service, docs);
  const { variables } = (await scene.get('/content')).body;
  await scene.write({ '.gitbook/vars.yaml': malformed });

  for (const _attempt of ['first', 'second']) {
    const { changes, report } = await scene.import();
    expect(changes).toEqual([]);
    const [note] = report;
    expect(report).toHaveLength(1);
    expect(note).toMatchObject({ file: '.gitbook/vars.yaml', severity: 'error' });
    expect(note?.line).toBe(line);
    const [reason, effect] = note?.message.split(/(?<=\.) (?=The variables)/) ?? [];
    expect([reason, effect]).toEqual([expect.stringMatching(problem), 'The variables stay as they were.']);
    expect((await scene.get('/content')).body.variables).toEqual(variables);
    expect(await exportedFiles(service, scene)).toEqual(docs);
  }

  await scene.write({ '.gitbook/vars.yaml': 'product: Colophon\n' });
  expect((await scene.import()).report).toEqual([]);
  expect((await scene.get('/content')).body.variables).toEqual({ product: 'Colophon' });
});

test('on a first import, variables whose file is malformed are reported, and mended later', async () => {
  const scene = await setImportScene(service);
  await scene.write({ ...DOCS, '.gitbook/vars.yaml': '- a\n' });
  const message = 'The file is not a mapping of names to values. No variables were imported.';
  const reported = [{ file: '.gitbook/vars.yaml', severity: 'error', message }];
  expect((await scene.import()).report).toEqual(reported);
  await scene.write({ '.gitbook/vars.yaml': '- b\n' });
  expect((await scene.import()).report).toEqual(reported);
  expect(await exportedFiles(service, scene)).toEqual({ ...DOCS, '.gitbook/vars.yaml': '- b\n' });
  await scene.write({ '.gitbook/vars.yaml': 'product: Colophon\n' });
  await scene.import();
  expect((await scene.get('/content')).body.variables).toEqual({ product: 'Colophon' });
});
