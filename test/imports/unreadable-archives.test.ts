import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ArchivedFiles, encrypted, unzip, withSizes, zip } from '../helpers/zip.ts';
import { DOCS } from './imported-scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

test('pages, files and reusable contents that are encrypted or too large in an archive stay as they were', {
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
  expect(body.error.message).toMatch(/^There are no Markdown files to import\. .*This file is encrypted\.$/);
  expect(await content()).toEqual(before);
});
