import { z } from 'zod';
import { AUDIT_ACTOR_TYPES, AUDIT_SOURCES } from '../../schema/enums.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';
import { ACCOUNT_ACTIONS, WEBHOOK_ACTIONS } from '../events/audit-event.ts';
import { EVENT_TYPES, PROGRESS_EVENTS } from '../events/events.api.ts';
import type { AuditRow } from './chain.ts';

/** All audited actions: the types of events except those about progress, and the actions on accounts and webhooks. */
const AUDIT_ACTIONS: readonly string[] = [
  ...EVENT_TYPES.filter((type) => !PROGRESS_EVENTS.includes(type)),
  ...ACCOUNT_ACTIONS,
  ...WEBHOOK_ACTIONS,
].sort();

/** The public object of an audited action. */
export const AuditEventActionObject = z
  .object({
    object: z.literal('audit-event-action').describe('The type of the object: always `audit-event-action`.'),
    id: z.string().describe('The name of the action, as in audit events.'),
    label: z.string().describe('The action in words.'),
  })
  .meta({ id: 'AuditEventAction', description: 'An action that is audited.' });

const labelOf = (action: string): string => {
  const words = action
    .replaceAll(/[._]/g, ' ')
    .replace(/^openapi/, 'OpenAPI')
    .replace(/^saml/, 'SAML');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const AUDIT_EVENT_ACTIONS = AUDIT_ACTIONS.map((id) => ({
  object: 'audit-event-action' as const,
  id,
  label: labelOf(id),
}));

const Personal = z.string().optional();

const common = {
  object: z.literal('audit-event').describe('The type of the object.'),
  id: z.string().describe('An opaque identifier that never changes.'),
  occurredAt: z.string().describe('When it happened, in ISO 8601 UTC.'),
  action: z.string().describe('The name of the action.'),
  actor: z
    .object({
      type: z.enum(AUDIT_ACTOR_TYPES).describe('What kind of caller acted.'),
      id: z
        .string()
        .describe(
          'The id of a user; for the system, `operator`, `service`, or `anonymous` for somebody who was refused.',
        ),
      label: Personal.describe('The display name at that time; absent after it was erased.'),
    })
    .describe('Who did it: a user, or the service itself.'),
  source: z
    .enum(AUDIT_SOURCES)
    .describe(
      'Where the action came from: a browser session, an API token, the command line, or a job of the service.',
    ),
  target: z
    .object({
      type: z.string().describe('The type of the object that was acted on.'),
      id: z.string().describe('The id of that object.'),
    })
    .describe('The object that was acted on.'),
  urls: z
    .object({ location: z.string().describe('The URL of the object in this API.') })
    .describe('The URLs of the object.'),
};

/** The public object of an audit event in a list. */
export const AuditEventObject = z
  .object({
    ...common,
    address: Personal.describe('The network address that the request came from.'),
    number: z
      .number()
      .int()
      .optional()
      .describe('The position in the sealed log; absent until the event is sealed.'),
  })
  .meta({ id: 'AuditEvent', description: 'An entry of the audit log.' });

/** The same with everything that is known about the event. */
export const AuditEventDetailsObject = AuditEventObject.extend({
  correlationId: z.string().optional().describe('The id of the request: the `X-Request-Id` of its response.'),
  credential: z
    .string()
    .optional()
    .describe('The id of the session or API token that was used, depending on `source`.'),
  email: Personal.describe('The e-mail address that the actor had.'),
  userAgent: Personal.describe('The `User-Agent` of the client.'),
  schemaVersion: z.literal(1).describe('The version of the format of the event.'),
  payload: z.record(z.string(), z.unknown()).describe('Further details, which depend on the action.'),
  seal: z
    .object({
      hash: z.string().describe('The hash that chains this event to the one before it.'),
      person: z.string().nullable().describe('The id of the person that the personal data is about.'),
      personalDigest: z
        .string()
        .nullable()
        .describe('The digest of the personal data, which remains after the data is erased.'),
      salt: z.string().nullable().describe('The random salt of the digest.'),
    })
    .optional()
    .describe('The data that verifies the event; absent until it is sealed.'),
}).meta({
  id: 'AuditEventDetails',
  description: 'An entry of the audit log, with personal data and its seal.',
});

interface Viewer {
  urls: Urls;
}

export const presentAuditEvent = (row: AuditRow, { urls }: Viewer): z.infer<typeof AuditEventObject> => ({
  object: 'audit-event',
  id: row.id,
  occurredAt: isoTime(row.createdAt),
  action: row.action,
  actor: { type: row.actorType, id: row.actor, ...actorLabel(row) },
  source: row.source,
  target: { type: row.targetType, id: row.target },
  address: row.personal?.address,
  number: row.number === null || row.number === undefined ? undefined : Number(row.number),
  urls: { location: urls.location('orgs', row.log, 'audit-events', row.id) },
});

/** The name is the actor's only if the actor is a user: of an unknown actor, it is the name of the user they claimed to be. */
const actorLabel = ({ actorType, personal }: AuditRow) =>
  actorType === 'user' ? { label: personal?.name } : {};

export const presentAuditEventDetails = (
  row: AuditRow,
  viewer: Viewer,
): z.infer<typeof AuditEventDetailsObject> => ({
  ...presentAuditEvent(row, viewer),
  correlationId: row.request ?? undefined,
  credential: row.credential ?? undefined,
  email: row.personal?.email,
  userAgent: row.personal?.userAgent,
  schemaVersion: 1,
  payload: row.payload,
  ...(row.hash && {
    seal: {
      hash: row.hash,
      person: row.person ?? null,
      personalDigest: row.personalDigest ?? null,
      salt: row.salt ?? null,
    },
  }),
});
