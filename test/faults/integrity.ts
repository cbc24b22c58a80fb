import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Services } from '../../routers/base/context.ts';
import { getDocument } from '../../routers/engine/store/documents.ts';
import { openSnapshot } from '../../routers/engine/store/snapshot.ts';
import { getTexts } from '../../routers/engine/store/texts.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import { createMemoryStore, type MemoryStore } from '../engine/store/memory-store.ts';
import { expectConsistent } from '../engine/store/spaces.ts';

/** Direct access to an installation, below its API. */
interface Installation {
  database: DatabaseHandle;
  services: Pick<Services, 'storage'>;
}

/**
 * Expects every revision of every space to be complete: each object matches its hash, each page has one position and its
 * document, imported content has its text, and each file has its bytes. Nothing is read from a cache.
 * @returns the numbers of revisions and objects
 */
export async function expectIntact({ database, services }: Installation) {
  const { db } = database;
  const store = await loadObjects(database);
  const revisions = await db.selectFrom('revision').select('root').execute();
  for (const root of new Set(revisions.map((revision) => revision.root))) {
    const snapshot = await openSnapshot(store, root);
    const pages = await snapshot.allPages();
    const contents = await snapshot.reusableContents();
    const texts = new Set(snapshot.root.repository?.map(({ text }) => text));
    for (const { document, git } of [...pages, ...contents]) {
      for (const hash of [document, git?.document]) if (hash !== undefined) await getDocument(store, hash);
      if (git?.text !== undefined) texts.add(git.text);
    }
    expect((await getTexts(store, [...texts])).size, `texts of ${root}`).toBe(texts.size);
    for (const { sha256, size } of await snapshot.files())
      expect(await services.storage.size(sha256), `bytes of ${sha256}`).toBe(size);
    await expectConsistent(store, root);
  }
  return { revisions: revisions.length, objects: store.objects.size };
}

async function loadObjects({ db }: DatabaseHandle): Promise<MemoryStore> {
  const store = createMemoryStore();
  const rows = await db
    .selectFrom('content_object')
    .select(['hash', 'kind', sql<string>`body::text`.as('json')])
    .execute();
  for (const { hash, kind, json } of rows) {
    expect(createHash('sha256').update(`${kind}\n${json}`).digest('hex'), `hash of a ${kind}`).toBe(hash);
    store.objects.set(hash, { kind, body: JSON.parse(json) });
  }
  return store;
}

/** Expects the counters of every space to be correct, and the numbers of its change requests to have no gaps. */
export async function expectCorrectCounters({ db }: DatabaseHandle): Promise<void> {
  const spaces = await db
    .selectFrom('space')
    .select(['id', 'change_requests', 'change_requests_open', 'change_requests_draft'])
    .execute();
  const all = await db
    .selectFrom('change_request')
    .select(['space_id', 'number', 'status'])
    .orderBy('number')
    .execute();
  for (const space of spaces) {
    const own = all.filter(({ space_id }) => space_id === space.id);
    const count = (status: string) => own.filter((changeRequest) => changeRequest.status === status).length;
    expect(own.map(({ number }) => number)).toEqual(own.map((_, index) => index + 1));
    expect(space).toMatchObject({
      change_requests: own.length,
      change_requests_open: count('open'),
      change_requests_draft: count('draft'),
    });
  }
}
