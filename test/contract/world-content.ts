import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';
import type { Ids } from './inputs.ts';

/** A minimal PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** A paragraph that is both in the space and in its change request. */
export const sharedParagraph = (title: string) => `Kept in ${title}.`;

/** A documentation repository, with content that cannot be created through the API alone. */
const repository = (title: string): Record<string, string> => ({
  [`${title}.md`]: `# Start ${title}\n\nSome **bold** [text](https://example.com) and [more](below.md) of ${title}.\n\n* one\n* two\n\n${sharedParagraph(title)}\n`,
  'below.md': '# Below\n\n{% include ".gitbook/includes/note.md" %}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'SUMMARY.md': `# Table of contents\n\n* [Start ${title}](${title}.md)\n  * [Below](below.md)\n`,
  '.gitbook/includes/note.md': `---\ntitle: Note\n---\n\nThe same everywhere in ${title}.\n`,
});

/** The content of the space, with files, uploads and a merged change request. */
export async function buildContent(
  service: TestService,
  admin: Client,
  ids: Ids,
  title: string,
): Promise<void> {
  const folder = await makeFolder('world');
  for (const [name, text] of Object.entries(repository(title))) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { database, services } = service.runtime;
  const tools = createCaller(toolContext(database, services));
  const { spaceId: space = '', organizationId: organization, userId: user } = ids;
  await tools.installation.content.importFolder({ folder, space, organization, user });

  const at = `/spaces/${space}`;
  const { changes } = await expectOk(
    admin.post(`${at}/content`, {
      compat: false,
      changes: [
        { operation: 'insert_files', files: [{ base64: PIXEL, name: 'pixel.png', ref: 'pixel' }] },
        { operation: 'insert_files', files: [{ base64: toBase64('Text.\n'), name: `${title}.md` }] },
        { operation: 'insert_page', title: 'Group', type: 'group' },
      ],
    }),
  );
  ids.groupId = changes.pages[0].id;
  const uploadOf = async (bytes: string | Buffer) =>
    upload(service, (await expectOk(admin.post(`${at}/uploads`))).url, bytes);
  ids.upload = await uploadOf('Uploaded.\n');
  ids.archive = await uploadOf(await zipOf('README.md', '# Imported\n'));

  // The revision must be that of a merge, so that it can be reverted.
  const request = await expectOk(admin.post(`${at}/change-requests`, { subject: 'Addition' }));
  const addition = { operation: 'insert_page', title: `Added to ${title}` };
  await expectOk(admin.post(`${at}/change-requests/${request.id}/content`, { changes: [addition] }));
  ids.revisionId = (await expectOk(admin.post(`${at}/change-requests/${request.id}/merge`))).revision;

  const last = { operation: 'insert_page', title: `Added later to ${title}` };
  await expectOk(admin.post(`${at}/content`, { changes: [last] }));
  const revision = await expectOk(admin.get(`${at}/content`));
  const [page] = revision.pages;
  ids.latestRevisionId = revision.id;
  ids.pageId = page.id;
  ids.pagePath = page.path;
  ids.documentId = page.documentId;
  ids.fileId = revision.files.find(({ name }: { name: string }) => name.endsWith('.md')).id;
  ids.reusableContentId = revision.reusableContents[0].id;
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/** A zip archive with one file. */
async function zipOf(path: string, text: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(text), path);
  zip.end();
  return buffer(zip.outputStream);
}

/** Uploads bytes to a signed URL; returns the `upload` for use in an edit. */
async function upload({ app }: TestService, url: string, payload: string | Buffer): Promise<string> {
  const { pathname, search } = new URL(url);
  const headers = { 'content-type': 'text/plain' };
  const response = await app.inject({ method: 'PUT', url: pathname + search, headers, payload });
  if (response.statusCode >= 300) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().upload;
}
