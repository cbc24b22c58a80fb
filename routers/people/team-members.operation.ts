import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { TeamRole } from '../../schema/enums.ts';
import type { Database } from '../../schema/rows.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { normalizeAccountEmail } from '../base/email-addresses.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { sqlAny } from '../sql/sql-any.ts';

interface Team {
  id: string;
  organization: string;
}

/** Users to add to and remove from a team, by user id or e-mail address. */
interface MemberChanges {
  /** Added with this role; undefined keeps the current role, `member` for new ones. */
  put?: Iterable<[name: string, role: TeamRole | undefined]>;
  /** Takes precedence over `put`. Users who are not in the team are ignored. */
  remove?: readonly string[];
  /** For callers who may not learn whose address is that of a member: users are found by id alone. */
  byIdOnly?: boolean;
}

/**
 * Adds members of the organization to one of its teams, and removes others from it.
 * @throws DomainError `not-found` naming all users to add who are not members of the organization, or if the team was
 *   deleted since it was read
 */
export async function changeTeamMembers(
  em: SqlEntityManager,
  team: Team,
  changes: MemberChanges,
): Promise<void> {
  const db = kyselyOf(em);
  const { put = [], remove = [], byIdOnly = false } = changes;
  const hasName = byIdOnly ? hasId : hasIdOrAddress;
  // guard: team-kept
  await lockTeam(db, team.id);
  const roles = await resolveMembers(db, team.organization, new Map(put), hasName);
  const rows = [...roles].map(([user, role]) => ({
    team_id: team.id,
    user_id: user,
    role: role ?? ('member' as const),
    created_at: new Date(),
  }));
  const withRole = rows.filter(({ user_id }) => roles.get(user_id) !== undefined);
  const withoutRole = rows.filter(({ user_id }) => roles.get(user_id) === undefined);
  const key = ['team_id', 'user_id'] as const;
  let changed = 0n;
  if (withoutRole.length > 0) {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('team_member')
      .values(withoutRole)
      .onConflict((conflict) => conflict.columns(key).doNothing())
      .executeTakeFirstOrThrow();
    changed += numInsertedOrUpdatedRows;
  }
  if (withRole.length > 0) {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('team_member')
      .values(withRole)
      .onConflict((conflict) =>
        conflict
          .columns(key)
          .doUpdateSet((eb) => ({ role: eb.ref('excluded.role') }))
          .whereRef('team_member.role', '<>', 'excluded.role'),
      )
      .executeTakeFirstOrThrow();
    changed += numInsertedOrUpdatedRows;
  }
  if (remove.length > 0) {
    const { numDeletedRows } = await db
      .deleteFrom('team_member')
      .where('team_id', '=', team.id)
      .where('user_id', 'in', (eb) => eb.selectFrom('user').select('user.id').where(hasName(remove)))
      .executeTakeFirstOrThrow();
    changed += numDeletedRows;
  }
  const { id, organization } = team;
  if (changed > 0n) recordEvent(em, { type: 'team.members.updated', organization, team: id });
}

/** Locks a team against deletion until the end of the transaction, since its members refer to it. */
async function lockTeam(db: Db, id: string): Promise<void> {
  const team = await db.selectFrom('team').select('id').where('id', '=', id).forKeyShare().executeTakeFirst();
  if (!team) throw notFound('team');
}

/**
 * Finds members of an organization, disabled ones too, by the names that `hasName` knows. Their rows stay locked against
 * removal until the end of the transaction, so that nobody who leaves the organization stays in the team.
 * @returns the given value of each, by user id
 */
async function resolveMembers<Given>(
  db: Db,
  organizationId: string,
  given: ReadonlyMap<string, Given>,
  hasName: HasName,
): Promise<Map<string, Given>> {
  const resolved = new Map<string, Given>();
  if (given.size === 0) return resolved;
  const found = await db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.user_id')
    .select(['user.id', 'user.email'])
    // guard: team-members-in-organization
    .where('member.organization_id', '=', organizationId)
    .where(hasName([...given.keys()]))
    .forKeyShare('member')
    .execute();
  const users = new Map(found.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
  const missing: string[] = [];
  for (const [name, value] of given) {
    const user = users.get(name) ?? users.get(toEmail(name));
    if (user === undefined) missing.push(name);
    // If a user is given twice, by id and by address, a role given for one is not lost.
    else resolved.set(user, value ?? resolved.get(user) ?? value);
  }
  if (missing.length > 0)
    throw new DomainError(
      'not-found',
      `The organization has no such ${missing.length === 1 ? 'member' : 'members'}: ${missing.join(', ')}.`,
    );
  return resolved;
}

const toEmail = (name: string): string => normalizeAccountEmail(name) ?? name;

/** A condition for the users with one of these names. */
type HasName = (names: readonly string[]) => (eb: ExpressionBuilder<Database, 'user'>) => Expression<SqlBool>;

const hasId: HasName = (names) => (eb) => eb('user.id', '=', sqlAny(names));

const hasIdOrAddress: HasName = (names) => (eb) =>
  eb.or([hasId(names)(eb), eb('user.email', '=', sqlAny(names.map(toEmail)))]);
