import { type RawBuilder, sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import { columnsUnder } from '../../schema/rows.ts';
import type { ShownUser } from './users.api.ts';

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

/** The same as one JSON value, for lists in a column. */
export const shownUserJson = (
  table: string,
  organization: RawBuilder<unknown>,
) => sql<ShownUser>`json_build_object(
  'id', ${sql.ref(`${table}.id`)}, 'displayName', ${sql.ref(`${table}.display_name`)},
  'photoURL', ${sql.ref(`${table}.photo_url`)}, 'email', ${shownEmail(table, organization)})`;

const shownEmail = (table: string, organization: RawBuilder<unknown>) => sql<string>`case when exists (
  select from member
  where member.organization_id = ${organization} and member.user_id = ${sql.ref(`${table}.id`)})
  then ${sql.ref(`${table}.email`)} end`;
