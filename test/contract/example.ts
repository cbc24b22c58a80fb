import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import type { Answer, Client, TestService } from '../helpers/service.ts';

/** One of everything, and the id of each by the name of the path parameter that takes it. */
export interface Example {
  admin: Client;
  /** The admin's access token. */
  token: string;
  ids: Record<string, string>;
}

/** The smallest PNG there is. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Makes one of everything through the API itself. What is new in the API is added here, and is then covered. */
export async function buildExample(service: TestService): Promise<Example> {
  const { id: organizationId, admin: person } = await service.build.organization({ title: 'Acme' });
  const member = await service.build.member(organizationId, 'edit');
  const admin = service.as(person.token);
  const ids: Record<string, string> = { organizationId, userId: member.id };
  const organization = `/orgs/${organizationId}`;

  ids.teamId = (
    await made(admin.put(`${organization}/teams`, { title: 'Writers', members: [member.id] }))
  ).id;
  ids.collectionId = (await made(admin.post(`${organization}/collections`, { title: 'Guides' }))).id;
  await made(admin.post(`${organization}/collections`, { title: 'Nested', parent: ids.collectionId }));
  const space = await made(
    admin.post(`${organization}/spaces`, { title: 'Handbook', emoji: '1f4d8', parent: ids.collectionId }),
  );
  ids.spaceId = space.id;
  for (const content of [`/spaces/${space.id}`, `/collections/${ids.collectionId}`]) {
    await made(
      admin.post(`${content}/permissions`, { role: 'review', users: [member.id], teams: [ids.teamId] }),
    );
  }

  await buildContent(service, admin, ids);
  await buildChangeRequest(admin, ids);
  return { admin, token: person.token, ids };
}

/** A documentation repository, which has what the API alone cannot make. */
const REPOSITORY: Record<string, string> = {
  'README.md': '# Start\n\nSome **bold** [text](https://example.com) and [more](below.md).\n\n* one\n* two\n',
  'below.md': '# Below\n\n{% include ".gitbook/includes/note.md" %}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'SUMMARY.md': '# Table of contents\n\n* [Start](README.md)\n  * [Below](below.md)\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nThe same everywhere.\n',
};

async function buildContent(service: TestService, admin: Client, ids: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-example-'));
  for (const [name, text] of Object.entries(REPOSITORY)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { database, services } = service.runtime;
  const tools = createCaller(toolContext(database, services));
  await tools.installation.content.importFolder({
    folder,
    space: ids.spaceId ?? '',
    organization: ids.organizationId,
    user: ids.userId,
  });
  await rm(folder, { recursive: true });

  const content = `/spaces/${ids.spaceId}/content`;
  await made(
    admin.post(content, {
      changes: [
        { operation: 'insert_files', files: [{ base64: PIXEL, name: 'pixel.png', ref: 'pixel' }] },
        { operation: 'insert_page', title: 'Group', type: 'group' },
      ],
    }),
  );
  const revision = await made(admin.get(content));
  const [page] = revision.pages;
  ids.revisionId = revision.id;
  ids.pageId = page.id;
  ids.pagePath = page.path;
  ids.documentId = page.documentId;
  ids.fileId = revision.files[0].id;
  ids.reusableContentId = revision.reusableContents[0].id;
}

async function buildChangeRequest(admin: Client, ids: Record<string, string>): Promise<void> {
  const requests = `/spaces/${ids.spaceId}/change-requests`;
  const request = await made(admin.post(requests, { subject: 'Improve' }));
  ids.changeRequestId = request.id;
  const one = `${requests}/${request.id}`;
  await made(
    admin.post(`${one}/content`, {
      changes: [
        { operation: 'update_page', page: ids.pageId, title: 'Begin', document: { markdown: 'New text.' } },
      ],
    }),
  );
  await made(admin.post(`${one}/requested-reviewers`, { users: [ids.userId] }));
  ids.reviewId = (await made(admin.post(`${one}/reviews`, { status: 'approved' }))).id;
}

/** The body of an answer that must be a success. */
async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** The path of an operation with the example's ids in place, and the parameters for which it has none. */
export function fill(path: string, ids: Example['ids']): { url: string; missing: string[] } {
  const missing: string[] = [];
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) missing.push(name);
    return encodeURIComponent(id ?? '');
  });
  return { url, missing };
}
