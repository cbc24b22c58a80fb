import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { call, idsFor } from './calls.ts';
import { inMemory } from './filters.ts';
import type { Ids } from './inputs.ts';
import { titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

vi.setConfig({ hookTimeout: 300_000 });

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  const built = await buildWorld(service);
  const { admin, ids } = built;
  world = { ...built, ids: { ...ids, ...(await writeLong(admin, ids)) } };
  await nestDeep(service, admin, ids);
});
afterAll(() => service.close());

/** Texts of maximum length that neither an index nor a cursor can compress. */
const long = () => randomBytes(4500).toString('base64url');

const text = (words: string) => ({ object: 'text', leaves: [{ object: 'leaf', text: words, marks: [] }] });
const link = (ref: object) => ({ object: 'inline', type: 'link', data: { ref }, nodes: [text('Link')] });
const paragraph = (key: string, nodes: object[]) => ({ object: 'block', type: 'paragraph', key, nodes });
const documentOf = (nodes: object[]) => ({
  document: { object: 'document', data: { schemaVersion: 1 }, nodes },
});

/** A page with blocks, links and conflicts of maximum length, which a change request also edits. */
async function writeLong(admin: Client, { spaceId, fileId }: Ids): Promise<Ids> {
  const space = `/spaces/${spaceId}`;
  const insertion = { operation: 'insert_page', title: 'Long' };
  const { changes } = await expectOk(admin.post(`${space}/content?compat=false`, { changes: [insertion] }));
  const page: string = changes.pages[0].id;
  const keys = Array.from({ length: 3 }, long);
  const refs = keys.map(() => [
    { kind: 'url', url: `https://example.com/${long()}` },
    { kind: 'openapi', spec: long() },
    { kind: 'anchor', page, anchor: long() },
    { kind: 'page', page },
    { kind: 'file', file: fileId },
  ]);
  const write = (content: string, words: string) => {
    const blocks = keys.map((key, index) =>
      paragraph(key, [text(words), ...(refs[index] ?? []).map(link), text('')]),
    );
    const change = { operation: 'update_page', page, document: documentOf(blocks) };
    return expectOk(admin.post(`${content}/content`, { changes: [change] }));
  };
  await write(space, 'Before');
  const request = await expectOk(admin.post(`${space}/change-requests`, { subject: 'Long' }));
  await write(`${space}/change-requests/${request.id}`, 'Ours');
  const { revision } = await write(space, 'Theirs');
  return { pageId: page, revisionId: revision, changeRequestId: request.id };
}

/** Three sections in groups of maximum nesting, at positions of maximum length. */
async function nestDeep({ runtime }: TestService, admin: Client, { organizationId, siteId }: Ids) {
  const organization = `/orgs/${organizationId}`;
  const site = `${organization}/sites/${siteId}`;
  let parent: string | undefined;
  for (let depth = 1; depth <= 100; depth++)
    parent = (await expectOk(admin.post(`${site}/section-groups`, { title: `Group ${depth}`, parent }))).id;
  for (const title of ['One', 'Two', 'Three']) {
    const space = await expectOk(admin.post(`${organization}/spaces`, { title }));
    const section = await expectOk(admin.post(`${site}/sections`, { spaceId: space.id }));
    await expectOk(admin.post(`${site}/section-groups/${parent}/sections`, { sectionId: section.id }));
  }
  for (const table of ['site_section', 'site_section_group', 'site_space'])
    await sql`
      update ${sql.table(table)} set position = rpad(position, 200, 'V') where site_id = ${siteId}`.execute(
      runtime.database.db,
    );
}

test.for(titled(inMemory))('%s has cursors for the longest values', async ([, list]) => {
  const ids = idsFor(list, world);
  const all = await call(world.admin, list, ids, { limit: 1000 });
  expect(all.status, JSON.stringify(all.body)).toBe(200);
  expect(all.body.count).toBeGreaterThan(1);
  const walked: unknown[] = [];
  let page: string | undefined;
  do {
    const { status, body } = await call(world.admin, list, ids, { limit: 1, ...(page && { page }) });
    expect(status, JSON.stringify(body)).toBe(200);
    walked.push(...body.items);
    page = body.next?.page;
    expect(page?.length ?? 0).toBeLessThan(1000);
  } while (page);
  // URLs of files are signed with the time of the response.
  const known = (items: unknown[]) =>
    items.map((item) => JSON.stringify(item).replace(/"downloadURL":"[^"]*"/g, ''));
  expect(walked).toHaveLength(all.body.count);
  expect(new Set(known(walked)).size).toBe(all.body.count);
  expect(known(walked).slice(0, all.body.items.length)).toEqual(known(all.body.items));
});
