import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { indexDocuments } from '../content/link-index.operation.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { withRecords } from './records.query.ts';

/**
 * Indexes the links of all documents of some revisions that are not indexed yet because they are older than the index. Call it
 * before concluding that nothing refers to something.
 * @param branches as for {@link withRecords}
 */
export async function indexBranches(
  { db, engine }: { db: Db; engine: Engine },
  branches: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ document: string }>`
    ${withRecords(branches)}
    select distinct value ->> 'document' as document from record
    where value ->> 'document' is not null and not exists (
      select from document_link where document = value ->> 'document' and ordinal = 0)`.execute(db);
  await indexDocuments(
    db,
    engine,
    rows.map(({ document }) => document),
  );
}
