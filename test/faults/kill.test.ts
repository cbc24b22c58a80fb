import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Db } from '../../routers/base/db.ts';
import { readConfig } from '../../server/config.ts';
import { openRuntime } from '../../server/runtime.ts';
import { silentLogger } from '../helpers/logger.ts';
import { makeSandbox, type Sandbox } from '../server/embedded-postgres-harness.ts';
import { call, killAll, PATIENCE, type Service, start } from '../server/process-harness.ts';
import { expectCorrectCounters, expectIntact } from './integrity.ts';

const KILLS = process.env.LONG === '1' ? 50 : 1;
const SPACES = 2;
const WRITERS = 6;

vi.setConfig({ testTimeout: KILLS * 120_000 });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await makeSandbox();
});
afterEach(killAll);
afterAll(() => sandbox.clear());

/** The acknowledged writes, which must never be lost. */
interface Acknowledged {
  revisions: { space: string; revision: string }[];
  changeRequests: string[];
}

const insertPage = (title: string) => ({
  operation: 'insert_page',
  title,
  document: { markdown: `${title}\n\n${'Some words of it. '.repeat(40)}\n` },
});

/** Edits a space, directly and through change requests that it merges, until the service is killed. */
async function write(
  service: Service,
  token: string,
  space: string,
  name: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await call(service, token, `/spaces/${space}${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  for (let round = 0; ; round++) {
    const title = `${name} ${round}`;
    const edited = await post('/content', { changes: [insertPage(`${title} direct`)] });
    acknowledged.revisions.push({ space, revision: edited.revision });
    const { id } = await post('/change-requests', { subject: title });
    acknowledged.changeRequests.push(id);
    await post(`/change-requests/${id}/content`, { changes: [insertPage(`${title} proposed`)] });
    const merged = await post(`/change-requests/${id}/merge`, {});
    expect(merged.result).toBe('merge');
    acknowledged.revisions.push({ space, revision: merged.revision });
  }
}

test('a service killed during edits and merges comes back with every revision complete and every acknowledged write', async () => {
  const environment = { DATA_DIR: sandbox.dataDir };
  let service = await start(environment);
  const token = service.token as string;
  const [organization] = (await call(service, token, '/orgs')).body.items;
  const spaces: string[] = [];
  for (let i = 0; i < SPACES; i++)
    spaces.push(
      (await call(service, token, `/orgs/${organization.id}/spaces`, { title: `Space ${i}` })).body.id,
    );

  const acknowledged: Acknowledged = { revisions: [], changeRequests: [] };
  for (let kill = 0; kill < KILLS; kill++) {
    const writers = Array.from({ length: WRITERS }, (_, i) =>
      write(service, token, spaces[i % SPACES] as string, `${kill} ${i}`, acknowledged),
    );
    const ended = Promise.allSettled(writers);
    // Until the first of them has made progress, and then up to any point of their work.
    const known = acknowledged.revisions.length;
    await vi.waitUntil(() => acknowledged.revisions.length > known + WRITERS, {
      timeout: PATIENCE,
      interval: 5,
    });
    await sleep(Math.random() * 200);
    await service.stop('SIGKILL');
    for (const end of await ended) {
      // They end with a lost connection, not with a wrong response.
      expect(end).toMatchObject({ status: 'rejected', reason: { name: 'TypeError' } });
    }
    service = await start(environment);
    await inspect(acknowledged);
  }
  expect(await service.stop()).toMatchObject({ code: 0 });
});

async function inspect({ revisions, changeRequests }: Acknowledged): Promise<void> {
  const runtime = await openRuntime(readConfig({ DATA_DIR: sandbox.dataDir }), {
    role: 'tool',
    logger: silentLogger,
  });
  try {
    const { db } = runtime.database;
    await expectIntact(runtime);
    await expectCorrectCounters(runtime.database);
    const kept = await db.selectFrom('change_request').select('id').execute();
    expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(changeRequests));
    const lines = await readLines(db);
    for (const { space, revision } of revisions) expect(lines.get(space)).toContain(revision);
  } finally {
    await runtime.close();
  }
}

/** The revisions of each space, from the active one back to the first. */
async function readLines(db: Db): Promise<Map<string, Set<string>>> {
  const revisions = await db.selectFrom('revision').select(['id', 'parents']).execute();
  const parentOf = new Map(revisions.map(({ id, parents }) => [id, parents[0]]));
  const spaces = await db.selectFrom('space').select(['id', 'revision_id']).execute();
  return new Map(
    spaces.map((space) => {
      const line = new Set<string>();
      for (let id: string | undefined = space.revision_id; id; id = parentOf.get(id)) line.add(id);
      return [space.id, line];
    }),
  );
}
