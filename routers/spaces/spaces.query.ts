import { sql } from 'kysely';
import { Space } from '../../schema/entities/space.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Membership } from '../access/levels.ts';
import { publishedPlaceFor } from '../access/load.query.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import { statement } from '../sql/statement.ts';

/** The statements of the list of spaces for members whose roles `viewable` treats alike. */
function listFor(member: Membership) {
  const spaces = (db: Db, organization: string, granted: string[]) =>
    db
      .selectFrom('space')
      .where('space.organization_id', '=', organization)
      .where('space.deleted_at', 'is', null)
      // guard: viewable-spaces
      .where(viewable('space', member, granted));
  const rows = (db: Db, user: string, organization: string, granted: string[], limit: string) =>
    spaces(db, organization, granted)
      .select(columnsOf(Space))
      .select(publishedPlaceFor(user))
      .orderBy('space.id', 'desc')
      .limit(sql<number>`${limit}`);
  return {
    first: statement(rows),
    after: statement((db, user: string, organization: string, granted: string[], limit: string, id: string) =>
      rows(db, user, organization, granted, limit).where('space.id', '<', id),
    ),
    count: statement((db, organization: string, granted: string[]) =>
      spaces(db, organization, granted).select((eb) => eb.fn.countAll().as('count')),
    ),
  };
}

const admins = listFor({ role: 'admin' });
const guests = listFor({ role: null });
const others = listFor({ role: 'read' });

/** The spaces of an organization that a member may view, newest first. */
export function spacesVisibleTo(
  db: Db,
  { user, member, granted }: { user: string; member: Membership; granted: string[] },
  organization: string,
) {
  const list = member.role === 'admin' ? admins : member.role === null ? guests : others;
  return {
    read: (after: string | undefined, limit: number) =>
      after === undefined
        ? list.first(db, user, organization, granted, String(limit))
        : list.after(db, user, organization, granted, String(limit), after),
    count: async () => Number((await list.count(db, organization, granted))[0]?.count),
  };
}
