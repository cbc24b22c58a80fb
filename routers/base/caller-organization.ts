import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { isId } from '../../schema/json/id.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import type { Db } from './db.ts';

/** Organizations that are remembered by user and object, and for how long, in milliseconds. */
const MAX_KNOWN = 10_000;
const KNOWN_TIME = 60_000;

/** Members of the input that name an object of an organization, or the organization. */
const NAMING = ['organizationId', 'spaceId', 'collectionId'] as const;

/** The organization of a member, by its id or by that of a space or collection. */
const readOrganization = batchedStatement((db, user: Operand, id: Operand) =>
  db
    .selectFrom('member')
    .select('member.organization_id as organization')
    .where('member.user_id', '=', user)
    .where('member.disabled', '=', false)
    .where(
      'member.organization_id',
      '=',
      sql<string>`coalesce(
        (select space.organization_id from space where space.id = ${id}),
        (select collection.organization_id from collection where collection.id = ${id}),
        ${id})`,
    ),
);

const known = new WeakMap<Db, LRUCache<string, { organization: string | undefined }>>();

/**
 * The organization that the input of a call is about, if the user is a member of it. Only to share things out: it is
 * remembered for a minute.
 */
export async function findCallerOrganization(
  db: Db,
  user: string,
  input: unknown,
): Promise<string | undefined> {
  if (typeof input !== 'object' || input === null) return undefined;
  const named = NAMING.map((name) => (input as Record<string, unknown>)[name]).find((id) => id !== undefined);
  if (typeof named !== 'string' || !isId(named)) return undefined;
  let organizations = known.get(db);
  if (!organizations) {
    organizations = new LRUCache({ max: MAX_KNOWN, ttl: KNOWN_TIME });
    known.set(db, organizations);
  }
  const key = `${user} ${named}`;
  let found = organizations.get(key);
  if (!found) {
    found = { organization: (await readOrganization(db, user, named))?.organization };
    organizations.set(key, found);
  }
  return found.organization;
}
