import type { Db } from '../base/db.ts';
import type { JobQueue } from '../base/ports.ts';

/** A request to process an OpenAPI spec; `isFetched` is whether it has a URL. */
interface Processing {
  spec: string;
  processing: number;
  organization: string;
  isFetched: boolean;
  scheduled?: boolean;
}

/**
 * Enqueues the processing of OpenAPI specs that are already marked as pending, in the transaction of `db`. Organizations
 * take turns: a job with n pending ones of its organization before it comes after the first n of every other organization.
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
  const uploaded = rows.filter(({ isFetched }) => !isFetched).map(({ job }) => job);
  // guard: spec-fetch-queue
  if (fetched.length > 0) await jobs.enqueue(db, 'fetch-openapi-spec', ...fetched);
  if (uploaded.length > 0) await jobs.enqueue(db, 'process-openapi-spec', ...uploaded);
}

const queueOf = (organization: string, isFetched: boolean) => `${organization} ${isFetched}`;

/** The number of pending OpenAPI specs of each organization, separately for those with a URL and those with a text. */
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
