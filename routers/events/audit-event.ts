import { hash, randomBytes } from 'node:crypto';
import type { AuditedPerson } from '../../schema/entities/audit-event.ts';
import type { AuditSource } from '../../schema/enums.ts';
import { newId, timeOfId } from '../../schema/ids.ts';
import type { Origin } from '../base/principal.ts';
import { canonicalJson, type Json } from '../engine/store/canonical.ts';
import type { EventType, NewEvent } from './events.api.ts';

/** Actions on accounts, which are not among the events of organizations. */
export const ACCOUNT_ACTIONS = [
  'user.created',
  'user.updated',
  'user.disabled',
  'user.enabled',
  'user.erased',
  'password.changed',
  'passkey.created',
  'passkey.deleted',
  'second_factor.enabled',
  'second_factor.disabled',
  'recovery_codes.renewed',
  'identity.linked',
  'identity.unlinked',
  'token.created',
  'token.revoked',
  'token.refused',
  'session.created',
  'session.ended',
  'session.refused',
] as const;
type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

/** Actions in organizations that are not among their events: webhooks deliver the events. */
export const WEBHOOK_ACTIONS = [
  'webhook.created',
  'webhook.updated',
  'webhook.secret.rotated',
  'webhook.deleted',
] as const;
type WebhookAction = (typeof WEBHOOK_ACTIONS)[number];

/** Actions on the installation. */
type InstallationAction = 'organization.deleted' | 'secret.rotated';

/** The name of the log for what belongs to no organization. */
export const INSTALLATION_LOG = 'installation';

/** To whom the events of a transaction are attributed, and where they came from. */
export interface Attribution {
  /** A user, or a part of the system. */
  actor: { type: 'user'; id: string } | { type: 'system'; id: 'operator' | 'service' | 'anonymous' };
  source: AuditSource;
  /** The id of the token or session. */
  credential?: string | undefined;
  /** The id of the request. */
  request?: string | undefined;
  /** The actor's name and e-mail address, and the client's address and browser. */
  personal?: AuditedPerson | undefined;
}

/** For what the service does by itself. */
export const SERVICE_ATTRIBUTION: Attribution = {
  actor: { type: 'system', id: 'service' },
  source: 'workflow',
};

const clientOf = ({ address, userAgent }: Origin) => ({
  address,
  userAgent: userAgent ?? undefined,
});

/** For what somebody does who is not authenticated. */
export const anonymousAttribution = (origin: Origin): Attribution => ({
  actor: { type: 'system', id: 'anonymous' },
  source: 'ui',
  request: origin.request,
  personal: clientOf(origin),
});

/** For what a user does. */
export const userAttribution = (
  user: { id: string; displayName: string; email: string },
  { source, credential }: { source: AuditSource; credential?: string | undefined },
  origin: Origin = {},
): Attribution => ({
  actor: { type: 'user', id: user.id },
  source,
  credential,
  request: origin.request,
  personal: { name: user.displayName, email: user.email, ...clientOf(origin) },
});

/** An audit event to insert, without its log. */
export interface NewAuditEvent {
  id: string;
  action: string;
  actorType: Attribution['actor']['type'];
  actor: string;
  source: AuditSource;
  targetType: string;
  target: string;
  payload: Record<string, unknown>;
  credential: string | undefined;
  request: string | undefined;
  createdAt: string;
  person: string | undefined;
  personal: AuditedPerson | undefined;
  salt: string | undefined;
  personalDigest: string | undefined;
}

/** An audited action and its target. */
export interface AuditedAction {
  action: EventType | AccountAction | WebhookAction | InstallationAction;
  targetType: string;
  target: string;
  payload?: Record<string, unknown>;
}

/**
 * Makes an audit event.
 * @param person the user that the personal data is about, if not the actor
 */
export function auditEvent(
  { payload = {}, ...action }: AuditedAction,
  { actor, source, credential, request, personal }: Attribution,
  person = actor.type === 'user' ? actor.id : undefined,
): NewAuditEvent {
  const id = newId();
  const given = personal && sanitized(personal);
  const salt = given && randomBytes(16).toString('hex');
  return {
    id,
    ...action,
    actorType: actor.type,
    actor: actor.id,
    source,
    payload,
    credential,
    request,
    createdAt: new Date(timeOfId(id)).toISOString(),
    person,
    personal: given,
    salt,
    personalDigest: given && personalDigest(given, salt),
  };
}

/** Replaces characters that headers may contain but columns cannot. */
const sanitized = (personal: AuditedPerson): AuditedPerson =>
  Object.fromEntries(
    Object.entries(personal).flatMap(([name, text]: [string, string | undefined]) =>
      text === undefined ? [] : [[name, text.toWellFormed().replaceAll('\0', '\uFFFD')]],
    ),
  );

/** The digest by which the chain covers personal data: without the salt, nobody can guess the data that it is of. */
export const personalDigest = (personal: AuditedPerson, salt: string | null | undefined): string =>
  hash('sha256', `${salt ?? ''}\n${canonicalJson(personal as Json)}`);

type Fields = { type: EventType } & Record<string, unknown>;

/** By the first word of an event's type: what such events are about, and the field that has its id. */
const TARGETS: Record<string, readonly [type: string, field: string]> = {
  space: ['space', 'space'],
  collection: ['collection', 'collection'],
  change_request: ['change_request', 'changeRequest'],
  review: ['change_request', 'changeRequest'],
  comment: ['comment', 'comment'],
  openapi_spec: ['openapi_spec', 'spec'],
  conversation: ['conversation', 'conversation'],
  conversations: ['organization', 'organization'],
  translation: ['translation', 'translation'],
  glossary: ['organization', 'organization'],
  site: ['site', 'site'],
  custom_hostname: ['custom_hostname', 'hostname'],
  member: ['member', 'user'],
  team: ['team', 'team'],
  invite: ['invite', 'invite'],
  saml_provider: ['saml_provider', 'samlProvider'],
  organization: ['organization', 'organization'],
};

/** Makes the audit event for an event of an organization. */
export function auditEventOf(event: NewEvent, attribution: Attribution): NewAuditEvent {
  const { type, actor, ...fields } = event as Fields & { actor?: string };
  const [targetType, field] = TARGETS[type.split('.', 1)[0] as string] ?? [];
  const target = field === undefined ? undefined : fields[field];
  if (targetType === undefined || typeof target !== 'string')
    throw new Error(`an event of type ${type} does not name what it is about`);
  const { organization: _, ...payload } = fields;
  // An event about somebody other than the caller, such as the author of an import, does not come from the caller's client.
  const isOther =
    actor !== undefined && !(attribution.actor.type === 'user' && attribution.actor.id === actor);
  const by: Attribution = isOther
    ? { actor: { type: 'user', id: actor }, source: attribution.source, request: attribution.request }
    : attribution;
  return auditEvent({ action: type, targetType, target, payload }, by);
}
