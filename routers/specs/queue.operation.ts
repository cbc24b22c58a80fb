import type { Db } from '../base/db.ts';
import type { JobQueue } from '../base/ports.ts';

/** A request to process a specification; `isFetched` is whether it is given by URL. */
interface Processing {
  spec: string;
  processing: number;
  organization: string;
  isFetched: boolean;
  scheduled?: boolean;
}

/**
 * Enqueues the processing of specifications that are already marked as pending, in the transaction of `db`. Organizations
 * take turns: each job comes after as many of every other organization as are before it in its own.
 */
export async function enqueueProcessing(
  db: Db,
  jobs: JobQueue,
  requests: readonly Processing[],
): Promise<void> {
  if (requests.length === 0) return;
  const pending = await countPending(db, [...new Set(requests.map(({ organization }) => organization))]);
  const rows = requests.toReversed().map(({ spec, processing, organization, isFetched, scheduled }) => {
    const queue = queueOf(organization, isFetched);
    const before = Math.max(0, (pending.get(queue) ?? 1) - 1);
    pending.set(queue, before);
    const data = { spec, processing, ...(scheduled && { scheduled }) };
    // guard: spec-turns
    return { isFetched, job: { data, group: organization, priority: -before } };
  });
  const fetched = rows.filter(({ isFetched }) => isFetched).map(({ job }) => job);
  const given = rows.filter(({ isFetched }) => !isFetched).map(({ job }) => job);
  // guard: spec-fetch-queue
  if (fetched.length > 0) await jobs.enqueue(db, 'fetch-openapi-spec', ...fetched);
  if (given.length > 0) await jobs.enqueue(db, 'process-openapi-spec', ...given);
}

const queueOf = (organization: string, isFetched: boolean) => `${organization} ${isFetched}`;

/** How many specifications of each organization are pending, of those by URL and of those by text. */
async function countPending(db: Db, organizations: string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('openapi_spec')
    .select('organization_id as organization')
    .select((eb) => eb('source_url', 'is not', null).as('isFetched'))
    .select((eb) => eb.fn.countAll().as('count'))
    .where((eb) => eb('organization_id', '=', eb.fn.any(eb.val(organizations))))
    .where('processing_state', '=', 'pending')
    .groupBy(['organization', 'isFetched'])
    .execute();
  return new Map(
    rows.map(({ organization, isFetched, count }) => [
      queueOf(organization, Boolean(isFetched)),
      Number(count),
    ]),
  );
}
