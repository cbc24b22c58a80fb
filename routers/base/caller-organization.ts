import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { isId } from '../../schema/json/id.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import type { Db } from './db.ts';

/** How many organizations are cached, by user and object, and for how long, in milliseconds. */
const MAX_CACHED = 10_000;
const CACHE_TTL = 60_000;

/** The input fields that name an organization, or an object of one. */
const ID_FIELDS = ['organizationId', 'spaceId', 'collectionId'] as const;

/** Reads the organization of a member, by its id, or by the id of one of its spaces or collections. */
const readOrganization = batchedStatement((db, user: Operand, id: Operand) =>
  db
    .selectFrom('member')
    .select('member.organization_id as organization')
    // guard: caller-membership
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

const caches = new WeakMap<Db, LRUCache<string, { organization: string | undefined }>>();

/**
 * Finds the organization that the input of a call is about, if the user is a member of it. Only for sharing out resources:
 * the result is cached for a minute.
 */
export async function findCallerOrganization(
  db: Db,
  user: string,
  input: unknown,
): Promise<string | undefined> {
  if (typeof input !== 'object' || input === null) return undefined;
  const named = ID_FIELDS.map((name) => (input as Record<string, unknown>)[name]).find(
    (id) => id !== undefined,
  );
  if (typeof named !== 'string' || !isId(named)) return undefined;
  let organizations = caches.get(db);
  if (!organizations) {
    organizations = new LRUCache({ max: MAX_CACHED, ttl: CACHE_TTL });
    caches.set(db, organizations);
  }
  const key = `${user} ${named}`;
  let found = organizations.get(key);
  if (!found) {
    found = { organization: (await readOrganization(db, user, named))?.organization };
    organizations.set(key, found);
  }
  return found.organization;
}
