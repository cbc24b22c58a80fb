import { type RawBuilder, sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import { columnsUnder } from '../../schema/rows.ts';

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
  const isMember = sql`exists (
    select from member
    where member.organization_id = ${organization} and member.user_id = ${sql.ref(`${table}.id`)})`;
  const email = `${prefix}.email` as const;
  const shown = sql<string>`case when ${isMember} then ${sql.ref(`${table}.email`)} end`.as(email);
  return columns.map((column) => (column.alias === email ? shown : column)) as typeof columns;
}
