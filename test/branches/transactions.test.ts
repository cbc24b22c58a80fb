import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kyselyOf } from '../../routers/base/db.ts';
import { objectReader } from '../../routers/branches/objects.operation.ts';
import { edit, open, readPage, rewrite, setScene } from '../change-requests/scene.ts';
import { comment } from '../comments/scene.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { expectNoTransactionViolations } from '../helpers/transactions.ts';
import { beforeTasks, holdTask } from './engine-gate.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ DATABASE_POOL: '3', DATABASE_LOCK_TIMEOUT: '1000' });
});
afterAll(() => service.close());

/** Paragraphs, one of which depends on the round. */
const paragraphs = (count: number, round: string) =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index} of ${index === 7 ? round : 'all'}.`).join(
    '\n\n',
  );

test('no transaction is open when a task on content begins', async () => {
  const scene = await setScene(service);
  const { me, page, path } = scene;
  const { nodes } = (await me.get(`${path}/content/page/${page}?format=document`)).body.document;
  const ran: string[] = [];
  const { restore } = beforeTasks(service, (task) => {
    ran.push(task);
    expect(service.runtime.database.pools().requests.inUse, task).toBe(0);
  });
  try {
    const node = nodes[0].key;
    await comment(me, path, { page, node });
    const [one, other] = [await open(scene), await open(scene, { subject: 'Other' })];
    await comment(me, one.at, { page, node });
    await rewrite(scene, one.at, { title: 'One', document: { markdown: 'One.' } });
    await rewrite(scene, other.at, { title: 'Other', document: { markdown: 'Other.' } });
    await edit(me, path, { operation: 'insert_page', title: 'Direct', condition: 'visitor.claims.a == 1' });
    const merged = await me.post(`${one.at}/merge`);
    expect(merged.body).toMatchObject({ result: 'merge' });
    expect((await me.post(`${other.at}/merge`)).body).toMatchObject({ result: 'conflicts' });
    expect((await me.post(`${other.at}/update`)).body).toMatchObject({ result: 'conflicts' });
    const resolved = await me.post(`${other.at}/conflicts/resolve`, { take: 'theirs' });
    expect(resolved.body).toMatchObject({ result: 'update', conflicts: [] });
    const reverted = await me.post(`${path}/revisions/${merged.body.revision}/revert`);
    expect(reverted.body).toMatchObject({ result: 'rollback' });
    const proposed = await me.post(`${path}/change-requests`, { template: { id: 'guide' } });
    expect(proposed.status, JSON.stringify(proposed.body)).toBe(201);
  } finally {
    restore();
  }
  expect(new Set(ran)).toEqual(
    new Set([
      'parseText',
      'edit',
      'merge',
      'facts',
      'target',
      'movedNodes',
      'pageConditionChanges',
      'earlierSlugs',
    ]),
  );
});

test('a transaction that waits for a task on content fails the tests', async () => {
  const { database, services } = service.runtime;
  const reader = objectReader(database.db);
  const work = () => services.engines.for({ user: 'somebody' }).run('facts', { documents: [] }, reader);
  await work();
  await services.branchQueue.lastAttempt(() => database.transaction(work));
  expectNoTransactionViolations();
  await database.transaction(work);
  expect(expectNoTransactionViolations).toThrow('a transaction is open while the engine runs "facts"');
});

test('transactions are short compared with the edit and the merge of a large page with comments', async () => {
  const COUNT = 9000;
  const scene = await setScene(service);
  const { me, page, path } = scene;
  await rewrite(scene, path, { document: { markdown: paragraphs(COUNT, 'one') } });
  const { nodes } = (await me.get(`${path}/content/page/${page}?format=document`)).body.document;
  for (const { key: node } of nodes.slice(0, 4)) await comment(me, path, { page, node });
  const request = await open(scene);
  await rewrite(scene, request.at, { document: { markdown: paragraphs(COUNT, 'the request') } });
  await edit(me, path, { operation: 'insert_page', title: 'Other' });

  const watch = new pg.Client({ connectionString: service.databaseUrl });
  await watch.connect();
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await watch.query(`
        select extract(epoch from clock_timestamp() - xact_start) * 1000 as milliseconds from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name = 'colophon'
          and xact_start is not null`);
      for (const { milliseconds } of rows) longest = Math.max(longest, Number(milliseconds));
      await sleep(5);
    }
  })();
  const begun = performance.now();
  try {
    await rewrite(scene, path, { document: { markdown: `${paragraphs(COUNT, 'one')}\n\nOne more.` } });
    expect((await me.post(`${request.at}/merge`)).body).toMatchObject({ result: 'merge' });
  } finally {
    isOver = true;
    await watching;
    await watch.end();
  }
  const took = performance.now() - begun;
  expect((await readPage(scene, path)).markdown).toContain('of the request.');
  // A transaction that computes takes a third of the time at least. A busy machine slows down both, and may hold up either.
  expect(longest).toBeLessThan(Math.max(100, took / 5));
});

describe('a change while an edit is computed', () => {
  const editHeld = async (
    meanwhile: (scene: Awaited<ReturnType<typeof setScene>>, editor: { id: string }) => Promise<unknown>,
  ) => {
    const scene = await setScene(service);
    const editor = await service.build.member(scene.organization, 'edit');
    const before = (await scene.me.get(scene.path)).body.revision;
    const held = holdTask(service, 'edit');
    const change = { operation: 'update_page', page: scene.page, title: 'New' };
    const edited = service.as(editor.token).post(`${scene.path}/content`, { changes: [change] });
    await held.begun;
    await meanwhile(scene, editor);
    held.release();
    const { status } = await edited;
    return { status, isUnchanged: (await scene.me.get(scene.path)).body.revision === before };
  };

  test('an edit is denied if the caller’s level is lowered while it is computed', async () => {
    const denied = await editHeld(({ me, organization }, { id }) =>
      me.patch(`/orgs/${organization}/members/${id}`, { role: 'read' }),
    );
    expect(denied).toEqual({ status: 403, isUnchanged: true });
  });

  test('an edit gets 404 if the caller’s membership ends while it is computed', async () => {
    const denied = await editHeld(({ me, organization }, { id }) =>
      me.delete(`/orgs/${organization}/members/${id}`),
    );
    expect(denied).toEqual({ status: 404, isUnchanged: true });
  });

  test('an edit is a conflict if the space is locked while it is computed', async () => {
    const refused = await editHeld(({ me, path }) => me.patch(path, { editMode: 'locked' }));
    expect(refused).toEqual({ status: 409, isUnchanged: true });
  });

  test('an edit is merged with another edit of the same page that was made while it was computed', async () => {
    const edited = await editHeld((scene) => rewrite(scene, scene.path, { description: 'Also new' }));
    expect(edited).toEqual({ status: 200, isUnchanged: false });
  });
});

test('an edit is merged with one that was saved first, and computed again if they conflict', async () => {
  const scene = await setScene(service);
  const { me, page, path } = scene;
  const race = async (first: object, second: object) => {
    const held = holdTask(service, 'edit');
    const last = me.post(`${path}/content`, { changes: [{ operation: 'update_page', page, ...second }] });
    await held.begun;
    await rewrite(scene, path, first);
    held.release();
    const { status, body } = await last;
    expect(status).toBe(200);
    expect(body.revision).toBe((await me.get(path)).body.revision);
    return readPage(scene, path);
  };
  const text = (first: string, third: string) => ({
    document: { markdown: `${first}\n\nSecond paragraph.\n\n${third}` },
  });
  const merged = await race(text('A.', 'Third paragraph.'), text('First paragraph.', 'C.'));
  expect(merged.markdown).toBe('# Page\n\nA.\n\nSecond paragraph.\n\nC.');
  expect(await race({ title: 'First', emoji: '1f389' }, { title: 'Second' })).toMatchObject({
    title: 'Second',
    emoji: '1f389',
  });
});

test('one of two concurrent resolutions of the same conflict succeeds', async () => {
  const scene = await setScene(service);
  const { me, path } = scene;
  const { at } = await open(scene);
  await rewrite(scene, at, { title: 'Proposed' });
  await rewrite(scene, path, { title: 'Meanwhile' });
  const { conflicts } = (await me.post(`${at}/update`)).body;
  const conflict = conflicts[0].id;
  const held = holdTask(service, 'edit');
  const changes = [{ operation: 'resolve_conflict', conflict, take: 'ours' }];
  const late = me.post(`${at}/content`, { changes });
  await held.begun;
  const resolved = await me.post(`${at}/conflicts/resolve`, { take: 'ours', conflicts: [conflict] });
  expect(resolved.body).toMatchObject({ result: 'update', conflicts: [] });
  held.release();
  expect((await late).status).toBe(404);
});

test('a writer who waits too long for a lock gets 503 and what is locked, and readers are not delayed', async () => {
  const scene = await setScene(service);
  const { me, path } = scene;
  const answer = await service.runtime.database.transaction(async (em) => {
    await sql`select from space where id = ${scene.space} for no key update`.execute(kyselyOf(em));
    const changing = me.post(`${path}/content`, { changes: [{ operation: 'insert_page', title: 'Late' }] });
    expect((await me.get(path)).status).toBe(200);
    return changing;
  });
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBeDefined();
  expect(answer.body.error.message).toBe('The space is being changed by others right now; try again soon.');
});
