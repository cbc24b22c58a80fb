import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ArchivedFiles, encrypted, unzip, withSizes, zip } from '../helpers/zip.ts';
import { type ImportScene, setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const LATIN1 = Buffer.from('# Caf\xe9\n\nNew words.\n', 'latin1');
const SUMMARY = '* [Home](README.md)\n* [Guide](guide.md)\n  * [Step](step.md)\n* [Notes](notes.md)\n';
const DOCS = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Home\n\n[The guide](guide.md)\n\n{% include ".gitbook/includes/shared.md" %}\n',
  'guide.md': '---\ndescription: How to\nslug: handbook\n---\n\n# Guide\n\nFirst.\n\n![](only-here.png)\n',
  'step.md': '# Step\n\nOne.\n',
  'notes.md': '# Notes\n\nOne.\n',
  'only-here.png': 'picture',
  '.gitbook/includes/shared.md': '# Shared\n\nShared words.\n',
};
const GUIDE_ERROR = {
  file: 'guide.md',
  severity: 'error',
  message: 'This file is not UTF-8 text and was not read. Its page stays as it was.',
};

const exported = async ({ space, admin }: { space: string; admin: ImportScene['admin'] }) => {
  const { body } = await admin.post('/user/tokens', { name: 'export' });
  const { rawPayload } = await service.app.inject({
    url: `/v1/spaces/${space}/content/export`,
    headers: { authorization: `Bearer ${body.token}` },
  });
  return unzip(rawPayload);
};

async function imported(files: Record<string, string | Uint8Array> = DOCS): Promise<ImportScene> {
  const scene = await setImportScene(service);
  await scene.write(files);
  const { report } = await scene.import();
  expect(report.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return scene;
}

describe('a file of a page that can no longer be read', () => {
  test('leaves the page as it was, with its id, settings, children and files, and links to it', async () => {
    const scene = await imported();
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
    expect(await exported(scene)).toEqual({ ...DOCS, 'notes.md': '# Notes\n\nTwo.\n' });

    const again = await scene.import();
    expect([again.changes, again.report]).toEqual([[], [GUIDE_ERROR]]);
    await scene.write({ 'guide.md': '# Guide\n\nSecond.\n\n![](only-here.png)\n' });
    const mended = await scene.import();
    expect(mended.report).toEqual([]);
    expect((await scene.ids()).handbook).toBe(guide);
    expect((await scene.read()).handbook).toMatch(/^Guide: Second\./);
  });

  test('moves to the place that the new table of contents gives it', async () => {
    const scene = await imported();
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
    expect(await exported(scene)).toEqual({ ...DOCS, 'SUMMARY.md': summary });
  });

  test('is not taken for the former place of a new page that is similar', async () => {
    const scene = await imported();
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
    const scene = await imported({
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
    const scene = await imported();
    await scene.write({ 'guide.md': LATIN1, 'notes.md': '# Notes\n\nTwo.\n' });
    const { changeRequest } = await scene.import({ changeRequest: true });
    expect(changeRequest).toMatchObject({ conflicts: 0, changes: [{ type: 'page_edited', path: 'notes' }] });
    expect(await scene.ids(changeRequest?.id)).toEqual(await scene.ids());
  });
});

describe('a page whose file was renamed and can no longer be read', () => {
  const renamed = async (files: Record<string, string | Uint8Array | null>) => {
    const scene = await imported();
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
    expect((await exported(run.scene))[path]).toBe(DOCS['guide.md']);

    expect((await run.scene.import()).changes).toEqual([]);
    await run.scene.write({ [path]: '# Manual\n\nNew words.\n' });
    const { changes } = await run.scene.import();
    expect(changes.filter(({ type }) => /page_(?:created|deleted)/.test(type))).toEqual([]);
    expect((await run.scene.get(`/content/page/${run.handbook}`)).body.markdown).toContain('New words.');
  });

  test('is not taken for one of several pages, or for one whose place another file has taken', async () => {
    const several = await imported({
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
  const scene = await imported();
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
  const scene = await imported({ 'README.md': '# Home\n', 'a.md': '# A\n' });
  const pages = await scene.ids();
  await scene.write({ 'README.md': LATIN1, 'a.md': LATIN1 });
  await expect(scene.import()).rejects.toThrow('None of the pages can be read as Markdown. README.md: ');
  expect(await scene.ids()).toEqual(pages);
});

test('a table of contents, variables and reusable content that can no longer be read stay as they were', async () => {
  const docs = { ...DOCS, '.gitbook/vars.yaml': 'product: Colophon\n' };
  const scene = await imported(docs);
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
  expect(await exported(scene)).toEqual({ ...docs, 'notes.md': '# Notes\n\nTwo.\n' });
});

test.each([
  ['is not valid YAML', 'product: Colophon\nversion: [1\n', /^The file is not valid YAML: .+\.$/, 3],
  ['is not a mapping', '- product\n', /^The file is not a mapping of names to values\.$/, undefined],
])('variables stay as they were if their file %s', async (_, malformed, problem, line) => {
  const docs = { ...DOCS, '.gitbook/vars.yaml': 'product: Colophon\nversion: "2"\n' };
  const scene = await imported(docs);
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
    expect(await exported(scene)).toEqual(docs);
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
  expect(await exported(scene)).toEqual({ ...DOCS, '.gitbook/vars.yaml': '- b\n' });
  await scene.write({ '.gitbook/vars.yaml': 'product: Colophon\n' });
  await scene.import();
  expect((await scene.get('/content')).body.variables).toEqual({ product: 'Colophon' });
});

test('what was imported from a folder that is now a link out of the source stays as it was', async () => {
  const scene = await imported({
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
  const scene = await imported({ 'README.md': '# Home\n', '.gitbook/shared/one.md': '# One\n\nWords.\n' });
  await symlink('.gitbook/shared', join(scene.folder, 'b'));
  await scene.import();
  const { 'b/one': one } = await scene.ids();
  expect(one).toBeDefined();
  await symlink('.gitbook/shared', join(scene.folder, 'a'));
  await scene.import();
  expect(await scene.ids()).toEqual({ readme: expect.anything(), a: expect.anything(), 'a/one': one });
});

test.runIf(process.getuid?.() !== 0)('a folder that may not be read loses nothing', async () => {
  const scene = await imported({ 'README.md': '# Home\n', 'parts/one.md': '# One\n' });
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
  const scene = await imported({ '.gitbook.yaml': 'root: docs\n', 'docs/README.md': '# Home\n', 'a.md': '' });
  const ids = await scene.ids();
  await rm(join(scene.folder, '.gitbook.yaml'));
  await symlink('/etc/hostname', join(scene.folder, '.gitbook.yaml'));
  await expect(scene.import()).rejects.toThrow('.gitbook.yaml: This symbolic link leads out of the folder');
  expect(await scene.ids()).toEqual(ids);
});

describe('over HTTP', () => {
  let space: EditedSpace;
  const upload = async (bytes: Buffer) => {
    const { body } = await space.editor.post(`/spaces/${space.id}/uploads`);
    const headers = { 'content-type': 'application/zip' };
    const sent = await service.app.inject({ method: 'PUT', url: body.url, payload: bytes, headers });
    return sent.json().upload;
  };
  const send = async (bytes: Buffer) => {
    const sent = { upload: await upload(bytes), source: 'docs' };
    return space.editor.post(`/spaces/${space.id}/content/import`, sent);
  };
  const content = async () => {
    const { pages } = (await space.editor.get(`${space.content}/pages`)).body;
    const { files, reusableContents } = (await space.editor.get(space.content)).body;
    return { pages, files, reusableContents };
  };

  test('pages, files and reusable contents that are encrypted or too large stay as they were', {
    timeout: 120_000,
  }, async () => {
    space = await editedSpace(service);
    const docs: ArchivedFiles = {
      ...DOCS,
      'README.md': `${DOCS['README.md']}\n![](large.bin)\n`,
      'large.bin': 'small',
    };
    expect((await send(await zip(docs))).body).toMatchObject({ pages: 4, files: 2, report: [] });
    const before = await content();
    const comment = { body: { markdown: 'Keep me.' }, page: before.pages[1].id };
    const commented = await space.editor.post(`/spaces/${space.id}/comments`, comment);

    const hidden = ['guide.md', 'only-here.png', '.gitbook/includes/shared.md'];
    const sizes = { 'large.bin': 100 * 1024 * 1024 + 1, 'step.md': 8 * 1024 * 1024 + 1 };
    const changed = withSizes(encrypted(await zip(docs), hidden), sizes);
    const { status, body } = await send(changed);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.changes).toEqual([]);
    expect(body.report).toEqual(
      [
        ['.gitbook/includes/shared.md', 'This file is encrypted. The reusable content stays as it was.'],
        ['guide.md', 'This file is encrypted. Its page stays as it was.'],
        [
          'large.bin',
          'This file is larger than 100 MB and was not imported. The imported file stays as it was.',
        ],
        ['only-here.png', 'This file is encrypted. The imported file stays as it was.'],
        ['step.md', 'This file is larger than 8 MB and was not read. Its page stays as it was.'],
      ].map(([file, message]) => ({ file, severity: 'error', message })),
    );
    expect(await content()).toEqual(before);
    const kept = await space.editor.get(`/spaces/${space.id}/comments/${commented.body.id}`);
    expect([commented.status, kept.status]).toEqual([200, 200]);
    const answer = await service.app.inject({
      url: `/v1${space.content}/export`,
      headers: { authorization: `Bearer ${space.token}` },
    });
    expect(await unzip(answer.rawPayload)).toEqual(docs);
  });

  test('a page whose file is renamed and encrypted at once is found by its title', async () => {
    space = await editedSpace(service);
    await send(await zip(DOCS));
    const before = await content();
    const guide = before.pages[1];
    const { 'guide.md': text, 'SUMMARY.md': summary, ...rest } = DOCS;
    const files = { ...rest, 'manual.md': text, 'SUMMARY.md': summary.replace('guide.md', 'manual.md') };
    const { status, body } = await send(encrypted(await zip(files), ['manual.md']));
    expect(status, JSON.stringify(body)).toBe(200);
    const message =
      'This file is encrypted. It is taken for "guide.md" under a new name. Its page stays as it was.';
    expect(body.report).toContainEqual({ file: 'manual.md', severity: 'error', message });
    const [, after] = (await content()).pages;
    expect(after).toMatchObject({ id: guide.id, title: 'Guide', git: { path: 'manual.md' } });
  });

  test('an archive whose pages are all encrypted is refused, and changes nothing', {
    timeout: 60_000,
  }, async () => {
    space = await editedSpace(service);
    await send(await zip(DOCS));
    const before = await content();
    const { status, body } = await send(encrypted(await zip(DOCS), Object.keys(DOCS)));
    expect(status).toBe(400);
    expect(body.error.message).toMatch(
      /^There are no Markdown files to import\. .*This file is encrypted\.$/,
    );
    expect(await content()).toEqual(before);
  });
});
