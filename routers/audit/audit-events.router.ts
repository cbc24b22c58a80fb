import { z } from 'zod';
import { AuditEvent } from '../../schema/entities/audit-event.ts';
import { declaredAs } from '../../schema/json/declared-type.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import type { JsonLinesObject } from '../response/json-lines.api.ts';
import { JsonLines } from '../response/json-lines.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import {
  AUDIT_EVENT_ACTIONS,
  AuditEventActionObject,
  AuditEventDetailsObject,
  AuditEventObject,
  presentAuditEvent,
  presentAuditEventDetails,
} from './audit-events.api.ts';
import { auditEventsOf, auditFilters, readAuditEvent, streamAuditEvents } from './audit-events.query.ts';
import { route } from './route.ts';

const PATH = '/orgs/{organizationId}/audit-events';

/** The module of the type that tRPC clients get. */
const LINES_OBJECT = new URL('../response/json-lines.api.ts', import.meta.url).href;

export const auditEventsRouter = router({
  list: organizationProcedure('viewAuditLog')
    .meta(
      route.get(PATH, 'List the audit events of an organization', 'listOrganizationAuditEvents', {
        description: 'Lists who did what, newest first.',
      }),
    )
    .input(z.object({ ...paging, ...auditFilters }))
    .output(listOf(AuditEventObject))
    .query(async ({ ctx, input: { organizationId, ...input } }) => {
      const listed = auditEventsOf(ctx.db, organizationId, input);
      return readPage(ctx, { organizationId, ...input } as typeof input, {
        rows: listed.select(columnsOf(AuditEvent)),
        order: [{ column: 'audit_event.id', direction: 'desc', of: (row) => row.id }],
        present: (row) => presentAuditEvent(row, ctx.services),
      });
    }),

  export: organizationProcedure('viewAuditLog')
    .meta(
      route.get(
        `${PATH}/export`,
        'Export the audit events of an organization',
        'exportOrganizationAuditEvents',
        {
          produces: 'application/x-ndjson',
          description:
            'One line of JSON for each event, with everything that is known about it, oldest first.',
        },
      ),
    )
    .input(z.object(auditFilters))
    .output(declaredAs<JsonLinesObject>(z.instanceof(JsonLines), 'JsonLinesObject', LINES_OBJECT))
    .query(({ ctx, input: { organizationId, ...filters } }) => {
      const { db, services } = ctx;
      const applied = Object.entries(filters).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(applied as [string, string][]);
      const url = services.urls.location('orgs', organizationId, 'audit-events', 'export');
      return new JsonLines(
        { name: 'audit-log.jsonl', downloadURL: applied.length > 0 ? `${url}?${query}` : url },
        async function* () {
          for await (const row of streamAuditEvents(db, organizationId, filters))
            yield presentAuditEventDetails(row, services);
        },
      );
    }),

  get: organizationProcedure('viewAuditLog')
    .meta(
      route.get(`${PATH}/{auditEventId}`, 'Get an audit event', 'getOrganizationAuditEvent', {
        description: 'Returns the event with its personal data and the seal that proves it unchanged.',
      }),
    )
    .input(z.object({ auditEventId: z.string().describe('The id of the audit event.') }))
    .output(AuditEventDetailsObject)
    .query(async ({ ctx, input: { organizationId, auditEventId } }) => {
      const row = isId(auditEventId) ? await readAuditEvent(ctx.db, organizationId, auditEventId) : undefined;
      if (!row) throw notFound('audit event');
      return presentAuditEventDetails(row, ctx.services);
    }),

  listActions: organizationProcedure('viewAuditLog')
    .meta(
      route.get(
        '/orgs/{organizationId}/audit-event-actions',
        'List the actions that are audited',
        'listOrganizationAuditEventActions',
        { description: 'Lists the names by which audit events can be filtered.' },
      ),
    )
    .output(z.object({ items: z.array(AuditEventActionObject).describe('The objects, in order.') }))
    .query(() => ({ items: AUDIT_EVENT_ACTIONS })),
});
