import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { objectReader } from '../../routers/branches/objects.operation.ts';
import { pageConditionChanges } from '../../routers/engine/expressions/page-conditions.ts';
import { collectDocumentLinks, linkRowsOf } from '../../routers/engine/links/document-links.ts';
import { movedNodes } from '../../routers/engine/merge/moved-nodes.ts';
import { getDocument } from '../../routers/engine/store/documents.ts';
import { openSnapshot } from '../../routers/engine/store/snapshot.ts';
import { open, rewrite, type Scene, setScene } from '../change-requests/scene.ts';
import { comment } from '../comments/scene.ts';
import { expectCorrectCounters, expectIntact } from '../faults/integrity.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { beforeTasks } from './engine-gate.ts';

vi.setConfig({ testTimeout: 600_000 });

/** Two processes with connections and queues of their own, on one database. */
let services: [TestService, TestService];
beforeAll(async () => {
  const first = await startTestService();
  services = [first, await startTestService({ DATABASE_URL: first.databaseUrl })];
});
afterAll(async () => {
  await services[1].close();
  await services[0].close();
});

/** A scene on the first service, with clients of its admin on both. */
async function setRace(): Promise<{ scene: Scene; clients: [Client, Client] }> {
  const scene = await setScene(services[0]);
  const { token } = scene.admin;
  return { scene, clients: [services[0].as(token), services[1].as(token)] };
}

const db = () => services[0].runtime.database.db;

/** The revisions of a space from the active one back to the first, along first parents. */
async function lineOf(space: string) {
  const rows = await db()
    .selectFrom('revision')
    .select(['id', 'root', 'parents', 'type'])
    .where('space_id', '=', space)
    .execute();
  const revisions = new Map(rows.map((row) => [row.id, row]));
  const { active } = await db()
    .selectFrom('space')
    .select('revision_id as active')
    .where('id', '=', space)
    .executeTakeFirstOrThrow();
  const line: (typeof rows)[number][] = [];
  for (let id: string | undefined = active; id !== undefined; id = line.at(-1)?.parents[0])
    line.push(revisions.get(id) as (typeof rows)[number]);
  return line;
}

test('two processes that edit and merge into one space lose no change, and make one line of revisions', async () => {
  const ROUNDS = process.env.LONG === '1' ? 20 : 5;
  const WRITERS = 4;
  const { scene, clients } = await setRace();
  const { path } = scene;
  const made: string[] = [];
  const begun = (await lineOf(scene.space)).length;
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const me = clients[writer % 2] as Client;
      for (let round = 0; round < ROUNDS; round++) {
        const title = `${writer} ${round}`;
        const changes = [{ operation: 'insert_page', title, document: { markdown: title } }];
        const edited = await me.post(`${path}/content`, { changes });
        expect(edited.status, JSON.stringify(edited.body)).toBe(200);
        const { at } = await open({ ...scene, me });
        await me.post(`${at}/content`, { changes: [{ ...changes[0], title: `${title} proposed` }] });
        const merged = await me.post(`${at}/merge`);
        expect(merged.body).toMatchObject({ result: 'merge' });
        made.push(edited.body.revision, merged.body.revision);
      }
    }),
  );
  const line = await lineOf(scene.space);
  expect(line).toHaveLength(begun + made.length);
  expect(new Set(line.map(({ id }) => id))).toEqual(
    new Set([...made, ...line.slice(-begun).map(({ id }) => id)]),
  );
  const titles = (await (await openSnapshot(objectReader(db()), line[0]?.root as string)).allPages()).map(
    ({ title }) => title,
  );
  expect(titles).toHaveLength(1 + 2 * WRITERS * ROUNDS);
  await expectIntact(services[0].runtime);
  await expectCorrectCounters(services[0].runtime.database);
});

test('a writer that is overtaken again and again finally succeeds with the branch locked', async () => {
  const { scene, clients } = await setRace();
  const { at } = await open(scene);
  await rewrite(scene, at, { title: 'Proposed' });
  let overtaken = 0;
  const late: Promise<unknown>[] = [];
  const insert = () =>
    clients[1].post(`${scene.path}/content`, {
      changes: [{ operation: 'insert_page', title: `Page ${overtaken}` }],
    });
  const { restore } = beforeTasks(services[0], async (task) => {
    if (task !== 'merge') return;
    overtaken++;
    // Other writers wait once the branch is locked.
    if (overtaken < 4) expect((await insert()).status).toBe(200);
    else {
      late.push(insert());
      const watch = services[1].runtime.database.background;
      await untilBlocked((statement) => sql.raw(statement).execute(watch));
    }
  });
  const merged = await clients[0].post(`${at}/merge`).finally(restore);
  expect(merged.body).toMatchObject({ result: 'merge' });
  expect(overtaken).toBe(4);
  await Promise.all(late);
  const line = await lineOf(scene.space);
  expect(line.slice(0, 5).map(({ type }) => type)).toEqual(['edits', 'merge', 'edits', 'edits', 'edits']);
});

test('a slow writer of a space delays the others only for a moment, and is not delayed by them', async () => {
  const { scene, clients } = await setRace();
  const [me] = clients;
  const { at } = await open(scene);
  await rewrite(scene, at, { title: 'Proposed' });
  const ended: string[] = [];
  let slow = 0;
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { restore } = beforeTasks(services[0], async (task) => {
    if (task !== 'merge' || slow++ > 0) return;
    begun.resolve();
    await released.promise;
  });
  const merging = me.post(`${at}/merge`).then(({ body }) => {
    ended.push('merge');
    return body;
  });
  await begun.promise;
  const edits = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const changes = [{ operation: 'insert_page', title: `Page ${index}` }];
      const { status } = await me.post(`${scene.path}/content`, { changes });
      ended.push('edit');
      return status;
    }),
  );
  expect(edits).toEqual(edits.map(() => 200));
  released.resolve();
  expect(await merging).toMatchObject({ result: 'merge' });
  restore();
  expect(ended.at(-1)).toBe('merge');
});

/** Random numbers that are the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test('after random concurrent edits and merges, the results of hooks are the same as computed from scratch', async () => {
  const STEPS = process.env.LONG === '1' ? 400 : 100;
  const LINES = 5;
  const { scene, clients } = await setRace();
  const { path } = scene;
  const pages: string[] = [];
  const insert = async (me: Client, title: string) => {
    const markdown = `[Home](/pages/${scene.page})\n\n${title} says this.\n\n${title} says more.`;
    const change = { operation: 'insert_page', title, condition: 'visitor.claims.a', document: { markdown } };
    const { status, body } = await me.post(`${path}/content?compat=false`, { changes: [change] });
    expect(status, JSON.stringify(body)).toBe(200);
    pages.push(body.changes.pages[0].id);
  };
  for (let index = 0; index < 4; index++) await insert(scene.me, `First ${index}`);
  const posted: { id: string; page: string; node: string; revision: string }[] = [];

  const read = async (me: Client, page: string) =>
    (await me.get(`${path}/content/page/${page}?format=document`)).body.document;
  const moveLastBlock = async (me: Client, page: string, other: string) => {
    const [from, to] = [await read(me, page), await read(me, other)];
    if (from.nodes.length < 2) return;
    const moved = { ...to, nodes: [...to.nodes, from.nodes.at(-1)] };
    const left = { ...from, nodes: from.nodes.slice(0, -1) };
    const changes = [
      { operation: 'update_page', page, document: { document: left } },
      { operation: 'update_page', page: other, document: { document: moved } },
    ];
    const { status, body } = await me.post(`${path}/content`, { changes });
    // Another writer may have changed one of the documents in the meantime.
    expect([200, 400], JSON.stringify(body)).toContain(status);
  };
  const commentOn = async (me: Client, page: string, node: string) => {
    const given = { body: { markdown: 'Here.' }, page, node };
    const { status, body } = await me.post(`${path}/comments`, given);
    // Its block may have gone in the meantime.
    if (status === 404) return;
    expect(status, JSON.stringify(body)).toBe(200);
    posted.push({ id: body.id, page, node, revision: body.target.revision });
  };

  const step = async (me: Client, number: number, pick: (below: number) => number) => {
    const page = pages[pick(pages.length)] as string;
    const other = pages[pick(pages.length)] as string;
    switch (pick(5)) {
      case 0:
        return insert(me, `Page ${number}`);
      case 1: {
        const condition = pick(2) === 0 ? null : `visitor.claims.c${pick(9)}`;
        const changes = [{ operation: 'update_page', page, title: `Title ${number}`, condition }];
        const { status, body } = await me.post(`${path}/content`, { changes });
        expect(status, JSON.stringify(body)).toBe(200);
        return;
      }
      case 2: {
        const { nodes } = await read(me, page);
        // The last block more often than others, because moves take it.
        const node = (pick(2) === 0 ? nodes.at(-1) : nodes[pick(nodes.length)])?.key;
        if (node !== undefined) await commentOn(me, page, node);
        return;
      }
      case 3: {
        if (page !== other) await moveLastBlock(me, page, other);
        return;
      }
      default: {
        const { at } = await open({ ...scene, me });
        const change = { operation: 'update_page', page, description: `From ${number}` };
        await me.post(`${at}/content`, { changes: [change] });
        const { status, body } = await me.post(`${at}/merge`);
        expect(status, JSON.stringify(body)).toBe(200);
      }
    }
  };
  await Promise.all(
    Array.from({ length: LINES }, async (_, line) => {
      const pick = random(line + 1);
      for (let number = line; number < STEPS; number += LINES)
        await step(clients[line % 2] as Client, number, pick);
    }),
  );
  // Whatever the timing above, one comment has moved.
  await insert(scene.me, 'Last');
  const last = pages.at(-1) as string;
  await commentOn(scene.me, last, (await read(scene.me, last)).nodes.at(-1).key);
  await moveLastBlock(scene.me, last, pages[0] as string);

  const reader = objectReader(db());
  const line = (await lineOf(scene.space)).reverse();
  const active = line.at(-1)?.root as string;
  const { set } = await pageConditionChanges(reader, { before: undefined, after: active });
  const conditions = await db()
    .selectFrom('page_condition')
    .select(['page', 'title', 'claims'])
    .where('space_id', '=', scene.space)
    .orderBy('page')
    .execute();
  expect(conditions).toEqual([...set].sort((a, b) => (a.page < b.page ? -1 : 1)));

  const snapshot = await openSnapshot(reader, active);
  for (const { document } of await snapshot.allPages()) {
    if (document === undefined) continue;
    const rows = await db()
      .selectFrom('document_link')
      .select(['ordinal', 'target'])
      .where('document', '=', document)
      .orderBy('ordinal')
      .execute();
    const wanted = linkRowsOf(document, collectDocumentLinks(await getDocument(reader, document)));
    expect(rows.map(({ target }) => target ?? undefined)).toEqual(
      wanted.map((row) => (row as { target?: string }).target),
    );
  }

  expect(posted.length).toBeGreaterThan(STEPS / 20);
  let moves = 0;
  for (const { id, page, node, revision } of posted) {
    let at = page;
    const start = line.findIndex((one) => one.id === revision);
    for (const [index, { root }] of line.entries()) {
      if (index <= start) continue;
      const before = line[index - 1]?.root as string;
      const [moved] = await movedNodes(reader, { before, after: root, nodes: [{ page: at, node }] });
      if (moved) moves++;
      at = moved?.to.page ?? at;
    }
    const { body } = await scene.me.get(`${path}/comments/${id}`);
    expect(body.target.page.id, `comment ${id}`).toBe(at);
  }
  expect(moves).toBeGreaterThan(0);
  await expectCorrectCounters(services[0].runtime.database);
});

test('a comment that is posted while its block moves to another page follows the block', async () => {
  const { scene, clients } = await setRace();
  const [me] = clients;
  const { path, page } = scene;
  const { body } = await me.post(`${path}/content?compat=false`, {
    changes: [{ operation: 'insert_page', title: 'Other', document: { markdown: 'Other.' } }],
  });
  const other = body.changes.pages[0].id;
  const read = async (id: string) =>
    (await me.get(`${path}/content/page/${id}?format=document`)).body.document;
  const [from, to] = [await read(page), await read(other)];
  const last = from.nodes.at(-1);
  let comments = 0;
  // The first is posted after the hooks have computed, and before the move is saved.
  const { restore } = beforeTasks(services[0], async (task) => {
    if (task === 'pageConditionChanges' && comments++ === 0)
      await comment(clients[1], path, { page, node: from.nodes[0].key });
    if (task === 'movedNodes' && comments++ === 1) await comment(clients[1], path, { page, node: last.key });
  });
  const changes = [
    { operation: 'update_page', page, document: { document: { ...from, nodes: from.nodes.slice(0, -1) } } },
    { operation: 'update_page', page: other, document: { document: { ...to, nodes: [...to.nodes, last] } } },
  ];
  const { status } = await me.post(`${path}/content`, { changes }).finally(restore);
  expect(status).toBe(200);
  const { items } = (await me.get(`${path}/comments?order=asc`)).body;
  expect(items.map(({ target }: { target: { page: { id: string } } }) => target.page.id)).toEqual([
    page,
    other,
  ]);
});
