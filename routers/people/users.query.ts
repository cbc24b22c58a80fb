import { type RawBuilder, sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import { columnsUnder } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { statement } from '../sql/statement.ts';
import type { VisibleUsers } from './users.api.ts';

/**
 * The columns of a user shown in an organization, under a prefix: without the e-mail address unless they are a member, so
 * that transferring content to another organization reveals no addresses.
 * @param table the alias of `user` in the query
 */
export function visibleUserColumns<Prefix extends string>(
  prefix: Prefix,
  table: string,
  organization: RawBuilder<unknown>,
) {
  const columns = columnsUnder(prefix, User, table);
  const email = `${prefix}.email` as const;
  const emailColumn = visibleEmail(table, organization).as(email);
  return columns.map((column) => (column.alias === email ? emailColumn : column)) as typeof columns;
}

const selectVisibleUsers = statement((db, organization: string, ids: string | string[]) =>
  db
    .selectFrom('user')
    .select(['id', 'display_name as displayName', 'photo_url as photoURL'])
    .select(visibleEmail('user', sql.val(organization)).as('email'))
    .where('id', '=', sql<string>`any(${ids})`),
);

/** Reads users by id, each once; as in {@link visibleUserColumns}, only members have e-mail addresses. */
export async function readVisibleUsers(
  db: Db,
  organization: string,
  ids: ReadonlySet<string>,
): Promise<VisibleUsers> {
  const users = ids.size === 0 ? [] : await selectVisibleUsers(db, organization, [...ids]);
  return new Map(users.map((user) => [user.id, user]));
}

/**
 * The e-mail address of a user, if they are a member of the organization. A scalar subquery, because the database might
 * evaluate `exists` with a hash of all members.
 */
// guard: comment-former-members
export const visibleEmail = (table: string, organization: RawBuilder<unknown>) => sql<string | null>`(
  select ${sql.ref(`${table}.email`)} from member
  where member.organization_id = ${organization} and member.user_id = ${sql.ref(`${table}.id`)})`;
