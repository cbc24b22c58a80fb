import { sql } from 'kysely';
import { z } from 'zod';
import { Event } from '../../schema/entities/event.ts';
import { columnsOf } from '../../schema/rows.ts';
import { loadSpace } from '../access/load.query.ts';
import { organizationProcedure } from '../access/procedures.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { streamOf } from '../response/stream.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { EVENT_TYPES, EventObject, presentEvent } from './events.api.ts';
import { resolveStartPosition, visibleEvents } from './events.query.ts';
import { route } from './route.ts';

const about = {
  space: z.string().optional().describe('Only events about the space with this id.'),
  changeRequest: z.string().optional().describe('Only events about the change request with this id.'),
  lastEventId: z.string().optional().describe('Only events after the one with this id.'),
};

export const eventsRouter = router({
  list: organizationProcedure('view')
    .meta(
      route.get('/orgs/{organizationId}/events', 'List the events of an organization', 'listEvents', {
        stream: 'events.subscribe',
        description:
          'Lists only events about what the caller may view. A client that accepts `text/event-stream` gets new events as they happen, as server-sent events, whatever their type.',
      }),
    )
    .input(
      z.object({
        ...paging,
        ...about,
        type: z
          .array(z.enum(EVENT_TYPES))
          .max(EVENT_TYPES.length)
          .optional()
          .describe('The types of events to list; all by default.'),
      }),
    )
    .output(listOf(EventObject))
    .query(async ({ ctx, input }) => {
      const { organization, member, grants } = ctx;
      const { space, changeRequest, type, lastEventId } = input;
      let listed = visibleEvents(ctx.db, organization.id, member, grants);
      if (space !== undefined) listed = listed.where('event.space_id', '=', space);
      if (changeRequest !== undefined) listed = listed.where('event.change_request_id', '=', changeRequest);
      if (lastEventId !== undefined) {
        const after = await resolveStartPosition(ctx.db, organization.id, lastEventId);
        listed = listed.where('event.number', '>', sql<number>`${after}::bigint`);
      }
      if (type) listed = listed.where(sql<boolean>`event.type = ${sqlAny(type)}`);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(Event)),
        order: [{ column: 'event.number', direction: 'desc', of: (row) => String(row.number) }],
        present: presentEvent,
      });
    }),

  subscribe: organizationProcedure('view')
    .input(z.object(about))
    .output(streamOf(EventObject))
    .subscription(async ({ ctx, input, signal }) => {
      const { db, actor, organization, services } = ctx;
      const space = await resolveSpace(db, actor, organization.id, input);
      return services.liveEvents.subscribe(
        {
          organization: organization.id,
          space,
          changeRequest: input.changeRequest,
          user: actor.user.id,
          credential: actor.credential.id,
          after: await resolveStartPosition(db, organization.id, input.lastEventId),
        },
        signal,
      );
    }),
});

/**
 * The id of the space that a stream is limited to, if any.
 * @throws DomainError `not-found` if the caller may not view the space, or the change request is not one of its
 */
async function resolveSpace(
  db: Db,
  actor: Actor,
  organization: string,
  { space, changeRequest }: { space?: string | undefined; changeRequest?: string | undefined },
): Promise<string | undefined> {
  if (space === undefined && changeRequest === undefined) return undefined;
  const of = changeRequest === undefined ? space : await spaceOfChangeRequest(db, changeRequest);
  if (of === undefined || (space !== undefined && of !== space)) throw notFound('change request');
  const access = await loadSpace(db, actor, of);
  if (!access || access.space.organization !== organization || access.space.deletedAt)
    throw notFound(changeRequest === undefined ? 'space' : 'change request');
  return of;
}

async function spaceOfChangeRequest(db: Db, changeRequest: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('change_request')
    .select('space_id as space')
    .where('id', '=', changeRequest)
    .executeTakeFirst();
  return found?.space;
}
