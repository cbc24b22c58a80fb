import { type RawBuilder, sql } from 'kysely';
import { anyOf } from '../any-of.ts';
import type { ObjectFollower } from '../branches/followers.ts';
import type { Context, Db, Services } from '../context.ts';
import { EMBED_TARGET } from '../engine/links/facts.ts';
import type { Jobs } from '../ports.ts';
import { describeAddress } from './describe.operation.ts';

/** How long what an address said of itself is taken for true, and how long it is left alone after it said nothing, in hours. */
const AGE = { described: 7 * 24, silent: 6 };

/** How long a fetch that was asked for may take until another is, in hours. */
const ASKED = 1;

/** How long an embed that has expired is kept in case that somebody asks for it, in days. */
const KEPT = 90;

/** Rows removed in one statement. */
const BATCH = 1000;

const inHours = (hours: number) => sql<Date>`now() + make_interval(hours => ${hours})`;

/** Has the addresses fetched that the documents of a new revision embed, unless they are known. */
export const prepareEmbeds: ObjectFollower = async ({ db, services }, objects) => {
  const documents = [...objects].flatMap(([hash, { kind }]) => (kind === 'document' ? hash : []));
  if (documents.length === 0) return;
  const addresses = sql`
    select distinct substr(target, ${EMBED_TARGET.length + 1}::int) from document_link
    where document = ${anyOf(documents)} and starts_with(target, ${EMBED_TARGET})`;
  await askFor(db, services, addresses);
};

/** Has an address fetched, unless it is known or somebody else has asked for it. */
export const refreshEmbed = (db: Db, services: Pick<Services, 'jobs'>, address: string) =>
  askFor(db, services, sql`select ${address}::text`);

async function askFor(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  addresses: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<Jobs['fetch-embed']>`
    insert into embed (address, expires_at)
    select address, ${inHours(ASKED)} from (${addresses}) as asked (address)
    order by address collate "C"
    on conflict (address) do update set expires_at = excluded.expires_at where embed.expires_at <= now()
    returning address`.execute(db);
  if (rows.length > 0)
    await jobs.enqueue(db, 'fetch-embed', ...rows.map((data) => ({ data, group: hostOf(data) })));
}

/** The jobs of one server, which may be slow, run one after another. */
const hostOf = ({ address }: Jobs['fetch-embed']): string => new URL(address).hostname;

/** Reads what an address says of itself. If it says nothing, what it said before stays. */
export async function fetchEmbed(
  { db, services }: Pick<Context, 'db' | 'services'>,
  { address }: Jobs['fetch-embed'],
): Promise<void> {
  const found = await describeAddress(services.outbound, address);
  await db
    .updateTable('embed')
    .set({
      expires_at: inHours(found ? AGE.described : AGE.silent),
      ...(found && {
        title: found.title ?? null,
        site: found.site ?? null,
        icon: found.icon ?? null,
        html: found.html ?? null,
      }),
    })
    .where('address', '=', address)
    .execute();
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
