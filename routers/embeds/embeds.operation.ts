import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { currentCaller } from '../base/caller.ts';
import type { Context, Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import type { ObjectHook } from '../base/hooks.ts';
import type { Jobs } from '../base/ports.ts';
import { EMBED_TARGET_PREFIX } from '../engine/links/document-links.ts';
import { recordEvent } from '../events/record.operation.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { type AddressDescription, describeAddress } from './describe.operation.ts';
import { isUpToDate, readEmbed } from './embeds.query.ts';

/** How long the description of an address is valid, and how long to wait after a fetch without one, in hours. */
const LIFETIME_HOURS = { described: 7 * 24, failed: 6 };

/** How long a requested fetch may take before another may be requested, in hours. */
const FETCH_HOURS = 1;

/** How long an expired embed is kept in case it is requested, in days. */
const RETENTION_DAYS = 90;

/** Rows removed in one statement. */
const BATCH = 1000;

/** How many addresses in the new objects of one edit, or of some documents of an import, are prefetched; others wait for readers. */
const MAX_PREFETCHED = 200;

/** The group of jobs for content that operators import, in place of an organization. */
const OPERATOR_GROUP = 'operators';

/** Fetches that readers wait for come before prefetches. */
const AWAITED_PRIORITY = 1;

const hoursFromNow = (hours: number) => sql<Date>`now() + make_interval(hours => ${hours})`;

/** Enqueues fetches of the addresses that the documents of a new revision embed, unless they are known. */
export const prefetchEmbeds: ObjectHook = async ({ db, services: { jobs } }, objects) => {
  const documents = [...objects].flatMap(([hash, { kind }]) => (kind === 'document' ? hash : []));
  if (documents.length === 0) return;
  const { rows } = await sql<Jobs['fetch-embed']>`
    insert into embed (address, expires_at, answered_in)
    select address, ${hoursFromNow(FETCH_HOURS)}, '{}' from (
      select distinct substr(target, ${EMBED_TARGET_PREFIX.length + 1}::int) from document_link
      where document = ${sqlAny(documents)} and starts_with(target, ${EMBED_TARGET_PREFIX})) as embedded (address)
    where not exists (select from embed where embed.address = embedded.address and expires_at > now())
    order by address collate "C"
    limit ${MAX_PREFETCHED}
    on conflict (address) do update set expires_at = excluded.expires_at, answered_in = excluded.answered_in
      where embed.expires_at <= now()
    returning address`.execute(db);
  // Organizations take turns: the first address of each comes before the second ones, and so on.
  // guard: embed-turns
  const inTurn = rows.map((data, index) => ({ ...fetchJob(data), priority: -index }));
  if (rows.length > 0) await jobs.enqueue(db, 'fetch-embed', ...inTurn);
};

/**
 * Requests a fetch of an address, and an event in a space if that changes what its readers see meanwhile.
 * @returns false if it has been fetched by now, or the space has requested it already
 */
export async function requestEmbed(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  { address, space }: { address: string; space: string },
): Promise<boolean> {
  const db = kyselyOf(em);
  const { rows } = await sql<{ isFirst: boolean }>`
    insert into embed (address, expires_at, answered_in)
    values (${address}, ${hoursFromNow(FETCH_HOURS)}, array[${space}::text])
    on conflict (address) do update set
      answered_in = array_remove(embed.answered_in, ${space}) || excluded.answered_in,
      expires_at = case when embed.expires_at <= now() then excluded.expires_at else embed.expires_at end
    where embed.expires_at <= now() or not ${space} = any(embed.answered_in)
    returning cardinality(answered_in) = 1 or expires_at = ${hoursFromNow(FETCH_HOURS)} as "isFirst"`.execute(
    db,
  );
  // If it was only to be prefetched, its job may be far behind those of others.
  if (rows[0]?.isFirst)
    await jobs.enqueue(db, 'fetch-embed', { ...fetchJob({ address }), priority: AWAITED_PRIORITY });
  return rows.length > 0;
}

/** A job in the group of the caller's organization, so that many slow servers delay only the organization that names them. */
const fetchJob = (data: Jobs['fetch-embed']) => ({
  data,
  // guard: embed-organization-share
  group: currentCaller()?.organization ?? OPERATOR_GROUP,
});

/**
 * Fetches the description of an address, unless it is up to date. Without a new description, the earlier one stays; if it has
 * changed, events are recorded in the spaces whose readers have seen the earlier one.
 */
export async function fetchEmbed(
  { db, services, transaction }: Pick<Context, 'db' | 'services' | 'transaction'>,
  { address }: Jobs['fetch-embed'],
): Promise<void> {
  // guard: embed-settled
  if (isUpToDate(await readEmbed(db, address))) return;
  const found = await describeAddress(services.outbound, address);
  const { title, site, icon, html }: Partial<AddressDescription> = found ?? {};
  await transaction(async (em) => {
    const { rows: notified } = await sql<{ id: string }>`
      with before as (
        select * from embed where address = ${address} for no key update
      ), after as (
        update embed set
          answered_in = null,
          expires_at = ${hoursFromNow(found ? LIFETIME_HOURS.described : LIFETIME_HOURS.failed)},
          (title, site, icon, html) = (${
            found
              ? sql`select ${title ?? null}, ${site ?? null}, ${icon ?? null}, ${html ?? null}`
              : sql`select before.title, before.site, before.icon, before.html`
            // guard: embed-news
          })
        from before where embed.address = before.address
        returning embed.*
      )
      select space.id from before, after, space
      where space.id = any(before.answered_in) and deleted_at is null
        and (before.title, before.site, before.icon, before.html)
          is distinct from (after.title, after.site, after.icon, after.html)`.execute(kyselyOf(em));
    for (const { id } of notified) recordEvent(em, { type: 'space.embed.updated', space: id, url: address });
  });
}

/** Removes, in batches, the embeds that nobody has requested since they expired. */
export async function removeOldEmbeds({ db }: Pick<Context, 'db'>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from embed where address in (
        select address from embed where expires_at < now() - make_interval(days => ${RETENTION_DAYS})
        limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
