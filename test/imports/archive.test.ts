import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ImportRunner } from '../../routers/base/ports.ts';
import type { SourceEntry } from '../../routers/engine/import/source.ts';
import { openArchive } from '../../routers/imports/archive-source.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ArchivedFiles, encrypted, zip } from '../helpers/zip.ts';

let service: TestService;
let space: EditedSpace;
/** Runs imports in their own processes. */
let importRunner: ImportRunner | undefined;
beforeAll(async () => {
  service = await startTestService({}, { importsInProcesses: true });
  ({ importRunner } = service.runtime.services);
  space = await editedSpace(service);
});
afterEach(() => {
  service.runtime.services.importRunner = importRunner;
});
afterAll(() => service.close());

/** Runs the imports of a test in this process, because it is not about processes, and each would load the product first. */
function importHere(): void {
  service.runtime.services.importRunner = undefined;
}

/** Uploads bytes for the space, and gives what names them. */
async function upload(bytes: Buffer): Promise<string> {
  const { body } = await space.editor.post(`/spaces/${space.id}/uploads`);
  const sent = await service.app.inject({
    method: 'PUT',
    url: body.url,
    payload: bytes,
    headers: { 'content-type': 'application/zip' },
  });
  return sent.json().upload;
}

const path = () => `/spaces/${space.id}/content/import`;

test('an uploaded archive is imported, and merged when it is imported again', async () => {
  importHere();
  const files: ArchivedFiles = {
    'docs-main/SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n',
    'docs-main/README.md': '# Home\n\nWelcome.\n',
    'docs-main/guide.md': '# Guide\n\n[Gone](gone.md)\n',
    '__MACOSX/docs-main/._guide.md': 'Finder',
  };
  const sent = { upload: await upload(await zip(files)), source: 'docs' };
  const dry = await space.editor.post(path(), { ...sent, dryRun: true });
  expect(dry.status, JSON.stringify(dry.body)).toBe(200);
  expect(dry.body).toMatchObject({ pages: 2, changes: [{ type: 'page_created' }, { type: 'page_created' }] });
  expect((await space.editor.get(`${space.content}/pages`)).body.pages).toEqual([]);

  const first = await space.editor.post(path(), sent);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    space: space.id,
    pages: 2,
    report: [{ file: 'guide.md', line: 3, severity: 'warning' }],
  });
  const guide = (await space.editor.get(`${space.content}/path/guide?format=markdown`)).body;
  expect(guide.markdown).toContain('# Guide');
  const me = (await space.editor.get('/user')).body;
  const [revision] = (await space.editor.get(`/spaces/${space.id}/revisions?limit=1`)).body.items;
  expect(revision).toMatchObject({ id: first.body.revision, createdBy: { id: me.id } });

  const edit = { operation: 'update_page', page: guide.id, document: { markdown: 'Edited by people.' } };
  expect((await space.editor.post(space.content, { changes: [edit] })).status).toBe(200);
  const changed = { ...files, 'docs-main/README.md': '# Home\n\nWelcome back.\n' };
  const second = await space.editor.post(path(), { ...sent, upload: await upload(await zip(changed)) });
  expect(second.body.changes).toMatchObject([{ type: 'page_edited', title: 'Home' }]);
  const kept = await space.editor.get(`${space.content}/path/guide?format=markdown`);
  expect(kept.body.markdown).toContain('Edited by people.');
});

/** The events of imports so far, as an admin reads them. */
async function importEvents() {
  const { token } = await service.build.member(space.organization, 'admin');
  const told = service.as(token);
  return {
    told,
    async of(name: string) {
      const { body } = await told.get(
        `/orgs/${space.organization}/events?type=space.import.updated&limit=100`,
      );
      const events = body.items as { source: string; status: string; step?: string; space: string }[];
      return events.filter(({ source }) => source === name);
    },
  };
}

test('events report the progress and the end of an import, and are not audited', {
  timeout: 60_000,
}, async () => {
  const { told, of } = await importEvents();
  const good = await upload(await zip({ 'README.md': '# Told\n' }));
  const { headers } = await service.app.inject({
    method: 'POST',
    url: `/v1${path()}`,
    headers: { authorization: `Bearer ${space.token}`, 'user-agent': 'importer/1' },
    payload: { upload: good, source: 'told' },
    remoteAddress: '192.0.2.7',
  });
  const events = await of('told');
  expect(events).toContainEqual(
    expect.objectContaining({ space: space.id, status: 'running', step: 'scan', done: 0, total: 0 }),
  );
  expect(events.filter(({ status }) => status !== 'running')).toMatchObject([{ status: 'completed' }]);
  const audited: { id: string; action: string; address: string }[] = (
    await told.get(`/orgs/${space.organization}/audit-events?limit=100`)
  ).body.items;
  expect(audited.map(({ action }) => action)).not.toContain('space.import.updated');
  // Not by its place in the list: an earlier test file may have moved the clock of this process.
  const id = audited.find(({ address }) => address === '192.0.2.7')?.id;
  const [token] = (await space.admin.get('/user/tokens')).body.items;
  expect((await told.get(`/orgs/${space.organization}/audit-events/${id}`)).body).toMatchObject({
    action: 'space.content.updated',
    source: 'api',
    address: '192.0.2.7',
    userAgent: 'importer/1',
    credential: token.id,
    correlationId: headers['x-request-id'],
  });
});

test('events report a failed import, and no dry run', async () => {
  importHere();
  const { of } = await importEvents();
  const good = await upload(await zip({ 'README.md': '# Told\n' }));
  await space.editor.post(path(), { upload: good, source: 'told-dry', dryRun: true });
  expect(await of('told-dry')).toEqual([]);
  const junk = await upload(Buffer.from('no archive'));
  await space.editor.post(path(), { upload: junk, source: 'told-junk' });
  expect(await of('told-junk')).toMatchObject([{ status: 'failed' }]);
});

test('an archive that cannot be imported is refused with the reason', { timeout: 60_000 }, async () => {
  const junk = await space.editor.post(path(), { upload: await upload(Buffer.from('no archive')) });
  expect(junk.status).toBe(400);
  expect(junk.body.error.message).toContain('The archive cannot be read');
  const unknown = await space.editor.post(path(), { upload: 'none' });
  expect(unknown.status).toBe(400);
  expect(unknown.body.error.details).toMatchObject([{ path: 'upload' }]);
  const stranger = service.as((await service.build.user()).token);
  expect((await service.as().post(path(), { upload: 'none' })).status).toBe(401);
  expect((await stranger.post(path(), { upload: 'none' })).status).toBe(404);
  const reader = service.as((await service.build.member(space.organization, 'read')).token);
  expect((await reader.post(path(), { upload: 'none' })).status).toBe(403);
});

async function listed(bytes: Buffer): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of (await openArchive(bytes, 'docs')).list()) entries.push(entry);
  return entries;
}

test('links and duplicates in an archive are listed with a problem, hidden files not at all', async () => {
  const link = { text: '/etc/passwd', mode: 0o120777 };
  const bytes = await zip({
    'a.md': 'A',
    'b.md': 'B',
    'link.md': link,
    '.git/config': '',
    'x/node_modules/y.md': '',
  });
  // The writer refuses no name, but gives each file its own.
  const twice = Buffer.from(bytes.toString('latin1').replaceAll('b.md', 'a.md'), 'latin1');
  expect(await listed(twice)).toEqual([
    { path: 'a.md', size: 1 },
    { path: 'a.md', size: 1, problem: 'The archive has another file of this name.' },
    { path: 'link.md', size: 11, problem: 'This is a symbolic link and was not followed.' },
  ]);
});

test('an archive with paths that lead out of it is refused', async () => {
  const bytes = await zip({ 'xx/evil.md': 'E' });
  const out = Buffer.from(bytes.toString('latin1').replaceAll('xx/evil.md', '../evil.md'), 'latin1');
  await expect(listed(out)).rejects.toThrow(
    'The archive cannot be read (invalid relative path: ../evil.md).',
  );
});

test('a file that is larger than the archive declares is not unpacked', async () => {
  const bytes = await zip({ 'a.md': 'A'.repeat(100_000) });
  const claimed = Buffer.from(bytes);
  const directory = claimed.indexOf('PK\x01\x02', 'latin1');
  claimed.writeUInt32LE(10, directory + 24);
  const source = await openArchive(claimed, 'docs');
  await expect(source.read('a.md')).rejects.toThrow('a.md cannot be unpacked (too many bytes in the stream.');
});

test('an archive with a damaged file is refused, and what was imported before stays', async () => {
  importHere();
  const files: ArchivedFiles = { 'README.md': '# Start\n', 'kept.md': '# Kept\n\nOriginal words.\n' };
  const bytes = await zip(files, { compress: false });
  const first = await space.editor.post(path(), { upload: await upload(bytes), source: 'damaged' });
  expect(first.body).toMatchObject({ pages: 2 });
  const damaged = Buffer.from(bytes.toString('latin1').replace('Original', 'Originel'), 'latin1');
  const second = await space.editor.post(path(), { upload: await upload(damaged), source: 'damaged' });
  expect(second.status).toBe(400);
  expect(second.body.error.message).toBe('kept.md is damaged: it differs from its checksum in the archive.');
  const kept = await space.editor.get(`${space.content}/path/kept?format=markdown`);
  expect(kept.body.markdown).toContain('Original words.');
});

test('a file whose name contains NUL, or that is below very many folders, is reported and left out', async () => {
  importHere();
  const deep = `${'a/'.repeat(20_000)}deep.md`;
  const bytes = await zip({ 'README.md': '# Start\n', 'aXb.md': '# Named\n', [deep]: '# Deep\n' });
  const sent = Buffer.from(bytes.toString('latin1').replaceAll('aXb.md', 'a\0b.md'), 'latin1');
  const { status, body } = await space.editor.post(path(), { upload: await upload(sent), source: 'names' });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({
    pages: 1,
    report: [
      { file: deep, message: 'This file is below more than 99 folders and was not imported.' },
      { file: 'a\ufffdb.md', message: 'The name of this file contains a NUL character.' },
    ],
  });
});

test('if no page can be read, the error names the problem with the first one', async () => {
  importHere();
  const bytes = encrypted(await zip({ 'README.md': '# Start\n' }), ['README.md']);
  const { status, body } = await space.editor.post(path(), { upload: await upload(bytes) });
  expect(status).toBe(400);
  expect(body.error.message).toBe(
    'There are no Markdown files to import. README.md: This file is encrypted.',
  );
});
