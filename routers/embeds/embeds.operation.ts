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
import { type Description, describeAddress } from './describe.operation.ts';
import { isSettled, readEmbed } from './embeds.query.ts';

/** How long what an address said of itself is taken for true, and how long it is left alone after it said nothing, in hours. */
const AGE = { described: 7 * 24, silent: 6 };

/** How long a fetch that was asked for may take until another is, in hours. */
const ASKED = 1;

/** How long an embed that has expired is kept in case that somebody asks for it, in days. */
const KEPT = 90;

/** Rows removed in one statement. */
const BATCH = 1000;

/** Addresses that are fetched because of the new objects of one edit, or of some documents of an import; others once they are read. */
const PREPARED = 200;

/** What stands for the organization of what operators import. */
const OPERATORS = 'operators';

/** What readers wait for is fetched before what is only prepared for them. */
const AWAITED = 1;

const inHours = (hours: number) => sql<Date>`now() + make_interval(hours => ${hours})`;

/** Has the addresses fetched that the documents of a new revision embed, unless they are known. */
export const prepareEmbeds: ObjectHook = async ({ db, services: { jobs } }, objects) => {
  const documents = [...objects].flatMap(([hash, { kind }]) => (kind === 'document' ? hash : []));
  if (documents.length === 0) return;
  const { rows } = await sql<Jobs['fetch-embed']>`
    insert into embed (address, expires_at, answered_in)
    select address, ${inHours(ASKED)}, '{}' from (
      select distinct substr(target, ${EMBED_TARGET_PREFIX.length + 1}::int) from document_link
      where document = ${sqlAny(documents)} and starts_with(target, ${EMBED_TARGET_PREFIX})) as embedded (address)
    where not exists (select from embed where embed.address = embedded.address and expires_at > now())
    order by address collate "C"
    limit ${PREPARED}
    on conflict (address) do update set expires_at = excluded.expires_at, answered_in = excluded.answered_in
      where embed.expires_at <= now()
    returning address`.execute(db);
  // The first of each organization come before the second ones, and so on.
  // guard: embed-turns
  const inTurn = rows.map((data, index) => ({ ...fetching(data), priority: -index }));
  if (rows.length > 0) await jobs.enqueue(db, 'fetch-embed', ...inTurn);
};

/**
 * Has an address fetched, and a space told if that changes what its readers are shown meanwhile.
 * @returns false if it has been fetched by now, or the space is told already
 */
export async function awaitEmbed(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  { address, space }: { address: string; space: string },
): Promise<boolean> {
  const db = kyselyOf(em);
  const { rows } = await sql<{ isFirst: boolean }>`
    insert into embed (address, expires_at, answered_in)
    values (${address}, ${inHours(ASKED)}, array[${space}::text])
    on conflict (address) do update set
      answered_in = array_remove(embed.answered_in, ${space}) || excluded.answered_in,
      expires_at = case when embed.expires_at <= now() then excluded.expires_at else embed.expires_at end
    where embed.expires_at <= now() or not ${space} = any(embed.answered_in)
    returning cardinality(answered_in) = 1 or expires_at = ${inHours(ASKED)} as "isFirst"`.execute(db);
  // If the fetch was only prepared, its job may be far behind those of others.
  if (rows[0]?.isFirst)
    await jobs.enqueue(db, 'fetch-embed', { ...fetching({ address }), priority: AWAITED });
  return rows.length > 0;
}

/** Whoever names slow servers, however many, takes the places of their organization; operators share those of one. */
const fetching = (data: Jobs['fetch-embed']) => ({
  data,
  // guard: embed-organization-share
  group: currentCaller()?.organization ?? OPERATORS,
});

/**
 * Reads what an address says of itself, unless that has been done. If it says nothing, what it said before stays; if it
 * says something new, the spaces are told whose readers were shown what was known before.
 */
export async function fetchEmbed(
  { db, services, transaction }: Pick<Context, 'db' | 'services' | 'transaction'>,
  { address }: Jobs['fetch-embed'],
): Promise<void> {
  // guard: embed-settled
  if (isSettled(await readEmbed(db, address))) return;
  const found = await describeAddress(services.outbound, address);
  const { title, site, icon, html }: Partial<Description> = found ?? {};
  await transaction(async (em) => {
    const { rows: told } = await sql<{ id: string }>`
      with before as (
        select * from embed where address = ${address} for no key update
      ), after as (
        update embed set
          answered_in = null,
          expires_at = ${inHours(found ? AGE.described : AGE.silent)},
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
    for (const { id } of told) recordEvent(em, { type: 'space.embed.updated', space: id, url: address });
  });
}

/** Removes, in batches, what is known of addresses that nobody has asked for since it expired. */
export async function removeOldEmbeds({ db }: Pick<Context, 'db'>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from embed where address in (
        select address from embed where expires_at < now() - make_interval(days => ${KEPT})
        limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
