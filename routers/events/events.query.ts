import { sql } from 'kysely';
import { Event } from '../../schema/entities/event.ts';
import type { DefaultLevel, Role } from '../../schema/enums.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { coveredBySelectedCredential } from '../access/credential-coverage.ts';
import { grantsByContent, grantsIn } from '../access/grants.query.ts';
import { type Grants, levelOn, type Membership } from '../access/levels.ts';
import { allows, ORGANIZATION_NEEDS } from '../access/needs.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { statement } from '../sql/statement.ts';
import { ADMIN_EVENTS } from './events.api.ts';

/** Selects events, joined with what they are about, as far as that still exists in the organization. */
const events = (db: Db) =>
  db
    .selectFrom('event')
    .leftJoin('space', (join) =>
      join
        .onRef('space.id', '=', 'event.space_id')
        .onRef('space.organization_id', '=', 'event.organization_id'),
    )
    .leftJoin('collection', (join) =>
      join
        .onRef('collection.id', '=', 'event.collection_id')
        .onRef('collection.organization_id', '=', 'event.organization_id'),
    )
    .leftJoin('site', (join) =>
      join.onRef('site.id', '=', 'event.site_id').onRef('site.organization_id', '=', 'event.organization_id'),
    );

const mayList = ({ role }: Membership) =>
  allows({ level: role, scope: 'read' }, ORGANIZATION_NEEDS.listMembers);

/**
 * Selects the events of an organization that a member may view: those about spaces, collections and sites that they may view
 * now, and those about members, teams, OpenAPI specs and the organization if they may list members. Only admins see events
 * about permissions and about what no longer exists; the deletion of a space is seen by all who could view it.
 */
export const visibleEvents = (db: Db, organization: string, member: Membership, grants: Grants) => {
  const granted = [...grants.keys()];
  return events(db)
    .where('event.organization_id', '=', organization)
    .where(
      // guard: event-list-viewers
      member.role === 'admin'
        ? sql<boolean>`true`
        : // guard: event-deleted-space, event-list-admins
          sql<boolean>`case
            when event.type = any(${ADMIN_EVENTS}) then false
            when event.space_id is not null then space.id is not null
              and (space.deleted_at is null or event.type = 'space.deleted') and ${viewable('space', member, granted)}
            when event.collection_id is not null
              then collection.id is not null and ${viewable('collection', member, granted)}
            when event.site_id is not null then site.id is not null and ${viewable('site', member, granted)}
            else ${mayList(member)} end`,
    );
};

/** The position of a space, collection or site, which decides who may view it. */
interface Placement {
  id: string;
  ancestors: string[];
  effectiveDefault: DefaultLevel | null;
  deletedAt?: unknown;
}

/** An event with the current placement of what it is about; null if that no longer exists. */
export type EventWithPlacement = Row<Event> & {
  spacePlacement: Placement | null;
  collectionPlacement: Placement | null;
  sitePlacement: Placement | null;
};

/** Whether a member may view an event: the rule of {@link visibleEvents}. */
export function mayView(event: EventWithPlacement, member: Membership, grants: Grants): boolean {
  if (member.role === 'admin') return true;
  const { space, collection, site, spacePlacement, collectionPlacement, sitePlacement, type } = event;
  // guard: event-stream-admins
  if ((ADMIN_EVENTS as readonly string[]).includes(type)) return false;
  if (space !== null) {
    const hidden = !spacePlacement || (spacePlacement.deletedAt && type !== 'space.deleted');
    return !hidden && levelOn(member, grants, spacePlacement) !== null;
  }
  if (collection !== null)
    return collectionPlacement !== null && levelOn(member, grants, collectionPlacement) !== null;
  if (site !== null) return sitePlacement !== null && levelOn(member, grants, sitePlacement) !== null;
  return mayList(member);
}

/** Events that streams read per statement. */
export const STREAM_BATCH = 200;

const readNext = statement((db, organization: string, after: string) =>
  events(db)
    .select(columnsOf(Event))
    .select([
      sql<Placement | null>`case when space.id is not null then json_build_object('id', space.id,
        'ancestors', space.ancestors, 'effectiveDefault', space.effective_default,
        'deletedAt', space.deleted_at) end`.as('spacePlacement'),
      sql<Placement | null>`case when collection.id is not null then json_build_object('id', collection.id,
        'ancestors', collection.ancestors, 'effectiveDefault', collection.effective_default) end`.as(
        'collectionPlacement',
      ),
      sql<Placement | null>`case when site.id is not null then json_build_object('id', site.id,
        'ancestors', '{}'::text[], 'effectiveDefault', site.default_level) end`.as('sitePlacement'),
    ])
    .where('event.organization_id', '=', organization)
    .where('event.number', '>', sql<number>`${after}::bigint`)
    .orderBy('event.number')
    .limit(STREAM_BATCH),
);

/** Reads the next events of an organization after a number, at most {@link STREAM_BATCH}, whoever may view them. */
export const readEventsAfter = (db: Db, organization: string, after: number): Promise<EventWithPlacement[]> =>
  readNext(db, organization, String(after)) as Promise<EventWithPlacement[]>;

/** The membership and grants of the owner of a token or session, which decide what they may view in an organization. */
export interface Reader {
  member: Membership | null;
  grants: Grants;
}

const readCredentials = statement((db, organization: string, ids: string[]) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('api_token')
        .select(['id', 'user_id', 'organization_id', sql<boolean>`true`.as('is_token')])
        .where('id', '=', sql<string>`any(${ids}::text[])`)
        .where((on) => on.or([on('expires_at', 'is', null), on('expires_at', '>', sql<Date>`now()`)]))
        .unionAll(
          eb
            .selectFrom('session')
            .select(['id', 'user_id', 'organization_id', sql<boolean>`false`.as('is_token')])
            .where('id', '=', sql<string>`any(${ids}::text[])`)
            .where(sql<Date>`least(expires_at, idle_expires_at)`, '>', sql<Date>`now()`),
        )
        // The credential of a tool that acts as a user has the user's id.
        .unionAll(
          eb
            .selectFrom('user')
            .select([
              'id',
              'id as user_id',
              sql<string | null>`null::text`.as('organization_id'),
              sql<boolean>`true`.as('is_token'),
            ])
            .where('id', '=', sql<string>`any(${ids}::text[])`),
        )
        .as('credential'),
    )
    .innerJoin('user', 'user.id', 'credential.user_id')
    .leftJoin('member', (join) =>
      join
        .onRef('member.user_id', '=', 'user.id')
        .on('member.organization_id', '=', organization)
        .on('member.disabled', '=', false)
        .on(
          coveredBySelectedCredential({
            organization: sql.ref('credential.organization_id'),
            isToken: sql.ref('credential.is_token'),
          }),
        ),
    )
    .select(['credential.id', 'member.user_id as member', 'member.role'])
    .select((eb) => grantsIn(eb as never, sql.ref('user.id'), 'member.organization_id').as('grants'))
    .where('user.disabled_at', 'is', null),
);

/**
 * Reads the owners of tokens and sessions, by the id of the credential, in one statement. Credentials that have ended, or
 * whose user is disabled, are missing.
 */
export async function readReaders(
  db: Db,
  organization: string,
  credentials: string[],
): Promise<Map<string, Reader>> {
  const rows = await readCredentials(db, organization, credentials);
  return new Map(
    rows.map(({ id, member, role, grants }) => [
      id,
      { member: member === null ? null : { role: role as Role | null }, grants: grantsByContent(grants) },
    ]),
  );
}

const readSpaces = statement((db, organization: string, spaces: string[]) =>
  db
    .selectFrom('space')
    .select(['id', 'ancestors', 'effective_default as effectiveDefault'])
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`any(${spaces}::text[])`)
    .where('deleted_at', 'is', null),
);

/** Reads the placements of those spaces that exist, by id. */
export async function readPlacements(
  db: Db,
  organization: string,
  spaces: string[],
): Promise<Map<string, Placement>> {
  if (spaces.length === 0) return new Map();
  return new Map((await readSpaces(db, organization, spaces)).map((space) => [space.id, space]));
}

/**
 * The number of the event that a stream or list starts after; without an id, the number of the last event.
 * @throws DomainError `invalid` if the event is not of this organization, or is no longer kept
 */
export async function resolveStartPosition(
  db: Db,
  organization: string,
  lastEventId: string | undefined,
): Promise<number> {
  if (lastEventId === undefined) {
    const counter = await db
      .selectFrom('event_counter')
      .select('last')
      .where('organization_id', '=', organization)
      .executeTakeFirst();
    return Number(counter?.last ?? 0);
  }
  const event = isId(lastEventId)
    ? // guard: event-resume-organization
      await db
        .selectFrom('event')
        .select('number')
        .where('id', '=', lastEventId)
        .where('organization_id', '=', organization)
        .executeTakeFirst()
    : undefined;
  if (event) return Number(event.number);
  throw new DomainError(
    'invalid',
    'The events after this one are not known: start again without `lastEventId`.',
    [{ path: 'lastEventId', message: 'must be the id of an event of this organization that is still kept' }],
  );
}
