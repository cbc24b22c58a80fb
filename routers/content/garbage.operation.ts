import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { FileStorage } from '../base/ports.ts';

/** Spares what was saved or used within this time: no edit, import or upload takes nearly as long. */
const GRACE_SECONDS = 24 * 60 * 60;

/** Rows per statement, few enough that nobody waits long for their locks. */
const BATCH = 1000;

/** The parts of a root object that are maps. */
const MAPS = ['pages', 'tree', 'slugs', 'files', 'reusableContents'];

export interface CollectedGarbage {
  /** Number of content objects removed. */
  objects: number;
  /** Number of files removed. */
  files: number;
}

/**
 * Removes the content objects and files that are not reachable from any revision, with what was computed from them.
 *
 * It is safe to run alongside writers, in any number of processes, because an object that is needed while it runs either
 *
 * - is saved by the writer, which renews the time of an existing one; the removal checks that time again under the lock
 *   on the row, so it spares what was renewed, and a later writer finds the row gone and inserts it again. The revision
 *   that reaches it is made moments later, long before it may be removed; or
 * - is used without being saved, because the writer has read it. What writers read belongs to revisions of a space (or of
 *   a change request), so it is reachable, or was saved by an earlier try of theirs. A space whose revisions are removed was
 *   deleted days before: nobody finds or copies it any more.
 *
 * The reachable objects are kept in temporary tables of one session, so memory does not grow with the content.
 */
export async function collectGarbage(
  { db, services }: Pick<Context, 'db' | 'services'>,
  { graceSeconds = GRACE_SECONDS }: { graceSeconds?: number } = {},
): Promise<CollectedGarbage> {
  const begun = performance.now();
  const collected = await db.connection().execute(async (session) => {
    const before = await readCutoff(session, graceSeconds);
    try {
      await mark(session);
      const objects = await sweepObjects(session, before);
      await sweepOutlines(session, before);
      return { objects, files: await sweepFiles(session, services.storage, before) };
    } finally {
      // The session returns to the pool.
      await sql`drop table if exists pg_temp.reachable_object, pg_temp.reachable_file, pg_temp.unreachable, pg_temp.unreachable_link`.execute(
        session,
      );
    }
  });
  services.logger.info(
    { ...collected, milliseconds: Math.round(performance.now() - begun) },
    'garbage collected',
  );
  return collected;
}

/**
 * The hashes of all files that OpenAPI specs, PDFs and the content of any revision refer to. Leaves temporary tables behind,
 * so call it in a transaction that is rolled back.
 */
export async function referencedFiles(transaction: Db): Promise<Set<string>> {
  await mark(transaction);
  const { rows } = await sql<{ sha256: string }>`select sha256 from reachable_file`.execute(transaction);
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** The time before which unreachable objects are garbage, by the clock of the database, which also dates objects. */
async function readCutoff(session: Db, graceSeconds: number): Promise<Date> {
  const { rows } = await sql<{ cutoff: string }>`
    select (now() - make_interval(secs => ${graceSeconds}))::timestamptz(3) as cutoff`.execute(session);
  return new Date(rows[0]?.cutoff as string);
}

/**
 * Collects in temporary tables what is reachable from all revisions, level by level from their roots; a shared object is
 * visited once. The fields that refer to objects are defined in `store/records.ts` and `store/map-nodes.ts`.
 */
async function mark(session: Db): Promise<void> {
  await sql`create temp table reachable_object (hash text collate "C" primary key, step int not null)`.execute(
    session,
  );
  await sql`create temp table reachable_file (sha256 text collate "C" primary key)`.execute(session);
  // OpenAPI specs and their versions, and PDFs.
  // guard: pdf-files-kept, spec-files-kept
  await sql`
    insert into reachable_file
    select source_text from openapi_spec where source_text is not null
    union select source from openapi_spec_version
    union select document from openapi_spec_version
    union select file from pdf where file is not null`.execute(session);
  let found = await affected(
    session,
    sql`insert into reachable_object (hash, step) select distinct root, 0 from revision`,
  );

  for (let step = 0; found > 0; step++) {
    found = await affected(
      session,
      sql`
        with named as materialized (
          select part.hash, part.sha256
          from reachable_object
            join content_object on content_object.hash = reachable_object.hash and kind in ('root', 'map')
            cross join lateral (
              select body ->> map as hash, null as sha256
              from unnest(${MAPS}::text[]) map
              where kind = 'root'
              union all
              select item ->> 1, null from json_array_elements(body -> 'items') item
              where kind = 'map' and body ->> 'level' <> '0'
              union all
              select file ->> 'text', null from json_array_elements(body -> 'repository') file
              where kind = 'root'
              union all
              select named.hash, named.sha256
              from json_array_elements(body -> 'items') item
                cross join lateral (values
                  (item -> 1 ->> 'document', item -> 1 ->> 'sha256'),
                  (item -> 1 -> 'git' ->> 'document', null),
                  (item -> 1 -> 'git' ->> 'text', null)
                ) named (hash, sha256)
              where kind = 'map' and body ->> 'level' = '0'
            ) part
          where reachable_object.step = ${step}
        ), files as (
          insert into reachable_file select distinct sha256 from named where sha256 is not null
          on conflict do nothing
        )
        insert into reachable_object (hash, step)
        select distinct hash, ${step + 1}::int from named where hash is not null
        on conflict do nothing`,
    );
    await sql`analyze reachable_object`.execute(session);
  }
}

/** Removes the objects that are not marked, and the links of documents that no longer exist. */
async function sweepObjects(session: Db, before: Date): Promise<number> {
  await sql`create temp table unreachable (number bigint primary key, hash text collate "C" not null)`.execute(
    session,
  );
  const unreachable = await affected(
    session,
    sql`
      insert into unreachable (number, hash)
      select row_number() over (order by hash), hash
      from content_object
      where created_at < ${before}
        and not exists (select from reachable_object where reachable_object.hash = content_object.hash)`,
  );
  let removed = 0;
  for (let start = 0; start < unreachable; start += BATCH) {
    // Rows locked by a writer are skipped: it is about to renew them, and waiting for it could deadlock.
    removed += await affected(
      session,
      sql`
        with garbage as materialized (
          select content_object.hash
          from content_object join unreachable on unreachable.hash = content_object.hash
          where number > ${start} and number <= ${start + BATCH} and created_at < ${before}
          order by content_object.hash
          for update of content_object skip locked
        )
        delete from content_object using garbage where content_object.hash = garbage.hash`,
    );
  }
  await sweepLinks(session);
  return removed;
}

/**
 * Removes the links of documents that no longer exist, in batches of about the same size, but all links of a document at
 * once: if it is saved again in the meantime, it has either all of its links, or none, so that the next reader indexes it.
 */
async function sweepLinks(session: Db): Promise<void> {
  await sql`
    create temp table unreachable_link (batch int, document text collate "C", primary key (batch, document))`.execute(
    session,
  );
  // guard: garbage-links-slices
  await sql`
    insert into unreachable_link (batch, document)
    select dense_rank() over (order by div(links, ${BATCH}::int)), document
    from (
      select document, sum(count(*)) over (order by document) as links
      from document_link
      where not exists (select from content_object where content_object.hash = document_link.document)
      group by document) as counted`.execute(session);
  const { rows } = await sql<{ batch: number }>`select distinct batch from unreachable_link`.execute(session);
  for (const { batch } of rows) {
    await sql`
      delete from document_link using unreachable_link
      where batch = ${batch} and document_link.document = unreachable_link.document
        and not exists (select from content_object where content_object.hash = document_link.document)`.execute(
      session,
    );
  }
}

/** Removes the outlines of files that are not marked. */
const sweepOutlines = (session: Db, before: Date) =>
  sql`
    delete from api_outline
    where created_at < ${before}
      and not exists (select from reachable_file where reachable_file.sha256 = api_outline.hash)`.execute(
    session,
  );

/** Removes the bytes that no file of a revision refers to. */
async function sweepFiles(session: Db, storage: FileStorage, before: Date): Promise<number> {
  let removed = 0;
  let batch: string[] = [];
  const sweep = async () => {
    const { rows } = await sql<{ sha256: string }>`
      select sha256 from reachable_file where sha256 = any(${batch})`.execute(session);
    const reachable = new Set(rows.map(({ sha256 }) => sha256));
    for (const sha256 of batch) {
      if (!reachable.has(sha256) && (await storage.removeStale(sha256, before))) removed++;
    }
    batch = [];
  };
  for await (const sha256 of storage.listStale(before)) {
    batch.push(sha256);
    if (batch.length === BATCH) await sweep();
  }
  await sweep();
  return removed;
}

/** Runs a statement, and returns the number of rows that it wrote. */
async function affected(session: Db, statement: ReturnType<typeof sql>): Promise<number> {
  return Number((await statement.execute(session)).numAffectedRows ?? 0);
}
