import { type RawBuilder, sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import { columnsUnder } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { statement } from '../sql/statement.ts';
import type { ShownUsers } from './users.api.ts';

/**
 * The columns of a user shown in an organization, under a prefix: without the e-mail address unless they are a member, so
 * that transferring content to another organization reveals no addresses.
 * @param table the alias of `user` in the query
 */
export function shownUser<Prefix extends string>(
  prefix: Prefix,
  table: string,
  organization: RawBuilder<unknown>,
) {
  const columns = columnsUnder(prefix, User, table);
  const email = `${prefix}.email` as const;
  const shown = shownEmail(table, organization).as(email);
  return columns.map((column) => (column.alias === email ? shown : column)) as typeof columns;
}

const selectShownUsers = statement((db, organization: string, ids: string | string[]) =>
  db
    .selectFrom('user')
    .select(['id', 'display_name as displayName', 'photo_url as photoURL'])
    .select(shownEmail('user', sql.val(organization)).as('email'))
    .where('id', '=', sql<string>`any(${ids})`),
);

/** Reads each user of a page once, however often it shows them; as {@link shownUser}, without foreign addresses. */
export async function readShownUsers(
  db: Db,
  organization: string,
  ids: ReadonlySet<string>,
): Promise<ShownUsers> {
  const users = ids.size === 0 ? [] : await selectShownUsers(db, organization, [...ids]);
  return new Map(users.map((user) => [user.id, user]));
}

/**
 * The e-mail address of a user, if they are a member of the organization. As the value of one row: the database might answer
 * `exists` from a hash of all members.
 */
export const shownEmail = (table: string, organization: RawBuilder<unknown>) => sql<string | null>`(
  select ${sql.ref(`${table}.email`)} from member
  where member.organization_id = ${organization} and member.user_id = ${sql.ref(`${table}.id`)})`;
