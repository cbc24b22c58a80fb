import { sql } from 'kysely';
import { Revision } from '../../schema/entities/revision.ts';
import type { User } from '../../schema/entities/user.ts';
import { partOf, type Row, someColumnsOf } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { visibleUserColumns } from '../people/users.query.ts';
import type { RevisionSummaryRow } from './revisions.api.ts';

/** A space whose history is read: its active revision, and from each revision on, the first parent. */
interface SpaceHistory {
  id: string;
  organization: string;
  /** Id of the active revision. */
  revision: string;
}

const SUMMARY_COLUMNS = ['id', 'parents', 'type', 'git', 'createdAt'] as const;

/** At most `limit` revisions of the history, newest first: from the active one on, or after the one with the id `after`. */
export async function readHistory(
  db: Db,
  space: SpaceHistory,
  after: string | undefined,
  limit: number,
): Promise<RevisionSummaryRow[]> {
  const rows = await db
    .withRecursive('line(id, next, place)', (qb) => {
      const first = qb
        .selectFrom('revision')
        .select(['revision.id', firstParent('revision').as('next'), sql<number>`1`.as('place')])
        .where('revision.space_id', '=', space.id);
      const start =
        after === undefined
          ? first.where('revision.id', '=', space.revision)
          : first.where('revision.id', '=', (eb) =>
              eb
                .selectFrom('revision as last')
                .select(firstParent('last').as('id'))
                .where('last.id', '=', after),
            );
      return start.unionAll(
        qb
          .selectFrom('line')
          .innerJoin('revision', 'revision.id', 'line.next')
          .select([
            'revision.id',
            firstParent('revision').as('next'),
            sql<number>`line.place + 1`.as('place'),
          ])
          .where('line.place', '<', limit),
      );
    })
    .selectFrom('line')
    .innerJoin('revision', 'revision.id', 'line.id')
    .leftJoin('change_request', 'change_request.revision_merged_id', 'revision.id')
    .leftJoin('user', 'user.id', 'revision.author_id')
    .select(someColumnsOf(Revision, SUMMARY_COLUMNS))
    .select(['change_request.id as request', 'change_request.number', 'change_request.subject'])
    .select(visibleUserColumns('createdBy', 'user', sql.val(space.organization)))
    .orderBy('line.place')
    .execute();
  return rows.map(({ request, number, subject, ...row }) => ({
    ...row,
    createdBy: partOf<Row<User>, 'createdBy'>(row, 'createdBy'),
    mergedFrom:
      request === null || number === null || subject === null ? undefined : { id: request, number, subject },
  }));
}

/** The number of revisions in the history. */
export async function countHistory(db: Db, space: SpaceHistory): Promise<number> {
  const { count } = await db
    .withRecursive('line(next)', (qb) =>
      qb
        .selectFrom('revision')
        .select(firstParent('revision').as('next'))
        .where('revision.id', '=', space.revision)
        .unionAll(
          qb
            .selectFrom('line')
            .innerJoin('revision', 'revision.id', 'line.next')
            .select(firstParent('revision').as('next')),
        ),
    )
    .selectFrom('line')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The id of the first parent of a revision, which it continues. */
const firstParent = (table: string) => sql<string | null>`${sql.ref(`${table}.parents`)}[1]`;
