import { z } from 'zod';
import type { Event } from '../../schema/entities/event.ts';
import { CHANGE_REQUEST_STATUSES, PROCESSING_ERROR_CODES, REVIEW_STATUSES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime, NullableRole } from '../base/common-schemas.ts';

const id = z.string();

/** The fields that all events have. */
const common = {
  object: z.literal('event').describe('The type of the object.'),
  id: id.describe('The id of the event; a stream can be resumed after it.'),
  createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  organization: id.describe('The id of the organization that owns it.'),
  actor: id
    .optional()
    .describe('The id of the user who caused it; absent for the operator of the installation.'),
};

const event = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ ...common, type: z.literal(type).describe('What happened.'), ...shape });

const space = { space: id.describe('The id of the space.') };
const collection = { collection: id.describe('The id of the collection.') };
const site = { site: id.describe('The id of the site.') };
/** A hostname leads to a site, or to the organization. */
const hostname = {
  hostname: z.string().describe('The hostname.'),
  site: id
    .optional()
    .describe('The id of the site at this hostname; absent if it is the hostname of the organization.'),
};
const changeRequest = { ...space, changeRequest: id.describe('The id of the change request.') };
const revision = { revision: id.describe('The id of the revision.') };
const user = { user: id.describe('The id of the user.') };
const spec = {
  spec: id.describe('The id of the OpenAPI spec.'),
  slug: z.string().optional().describe('The slug of the OpenAPI spec; absent from older events.'),
};
/** Its source decides who may view it, because messages may tell about its content. */
const translation = {
  space: id.optional().describe('The id of the space that is translated; absent from older events.'),
  translation: id.describe('The id of the translation.'),
};
const count = z.number().int();
const team = { team: id.describe('The id of the team.') };
const invite = { invite: id.describe('The id of the invite.') };
const samlProvider = { samlProvider: id.describe('The id of the SAML provider.') };
/** A role is granted to a user or a team; null revokes it. */
const grant = {
  user: id.optional().describe('The id of the user.'),
  team: id.optional().describe('The id of the team.'),
  role: NullableRole.describe('The granted role; null if it was revoked.'),
};
/** Comments are on a space, or on one of its change requests. */
const comment = {
  ...space,
  changeRequest: id.optional().describe('The id of the change request.'),
  comment: id.describe('The id of the comment.'),
};
const reply = { ...comment, reply: id.describe('The id of the reply.') };

/** All types of events, with the ids of what they are about. */
const options = [
  event('space.created', space),
  event('space.updated', space),
  event('space.moved', space),
  event('space.transferred', space),
  event('space.deleted', space),
  event('space.restored', space),
  event('space.content.updated', { ...space, ...revision }),
  event('space.embed.updated', {
    ...space,
    url: z.string().describe('The embedded URL, for which new metadata is available.'),
  }),
  event('space.import.updated', {
    ...space,
    source: z.string().describe('The name of the source of the import.'),
    status: z.enum(['running', 'completed', 'failed']).describe('The status of the import.'),
    step: z
      .enum(['scan', 'pages', 'files', 'save'])
      .optional()
      .describe(
        'What a running import is doing: listing files (`scan`), reading pages, storing files, or saving.',
      ),
    done: count.optional().describe('How much of the step is done.'),
    total: count.optional().describe('How much the step has to do; 0 if that is not known.'),
  }),
  event('space.permission.updated', { ...space, ...grant }),
  event('collection.created', collection),
  event('collection.updated', collection),
  event('collection.moved', collection),
  event('collection.transferred', collection),
  event('collection.deleted', collection),
  event('collection.permission.updated', { ...collection, ...grant }),
  event('change_request.created', changeRequest),
  event('change_request.updated', changeRequest),
  event('change_request.status.updated', {
    ...changeRequest,
    status: z
      .enum(CHANGE_REQUEST_STATUSES)
      .exclude(['merged'])
      .describe('The new status of the change request.'),
  }),
  event('change_request.content.updated', { ...changeRequest, ...revision }),
  event('change_request.merged', { ...changeRequest, ...revision }),
  event('review.requested', { ...changeRequest, ...user }),
  event('review.request.removed', { ...changeRequest, ...user }),
  event('review.submitted', {
    ...changeRequest,
    review: id.describe('The id of the review.'),
    status: z.enum(REVIEW_STATUSES).describe('The verdict of the review.'),
  }),
  event('comment.created', comment),
  event('comment.updated', comment),
  event('comment.resolved', comment),
  event('comment.reopened', comment),
  event('comment.deleted', comment),
  event('comment.reactions.updated', comment),
  event('comment.reply.created', reply),
  event('comment.reply.updated', reply),
  event('comment.reply.deleted', reply),
  event('comment.reply.reactions.updated', reply),
  event('openapi_spec.created', spec),
  event('openapi_spec.updated', spec),
  event('openapi_spec.processed', {
    ...spec,
    errorCode: z.enum(PROCESSING_ERROR_CODES).optional().describe('Why it failed; absent if it did not.'),
  }),
  event('openapi_spec.version.created', { ...spec, version: id.describe('The id of the version.') }),
  event('openapi_spec.deleted', spec),
  event('conversations.ingested', {
    count: count.describe('How many conversations are new or have changed.'),
  }),
  event('conversations.processed', {
    count: count.describe('How many conversations have had their issues extracted.'),
    failed: count.describe('For how many conversations the issues could not be extracted.'),
  }),
  event('conversation.deleted', { conversation: id.describe('The id of the conversation.') }),
  event('translation.created', translation),
  event('translation.updated', translation),
  event('translation.completed', {
    ...translation,
    error: z.string().optional().describe('Why the run failed, or what it could not translate.'),
  }),
  event('translation.deleted', translation),
  event('glossary.updated', {}),
  event('site.created', site),
  event('site.updated', site),
  event('site.published', site),
  event('site.unpublished', site),
  event('site.structure.updated', site),
  event('site.customization.updated', site),
  event('site.permission.updated', { ...site, ...grant }),
  event('site.deleted', site),
  event('site.proxy.updated', {
    ...site,
    origin: z.string().describe('The host and path of the proxy.'),
    isActive: z.boolean().describe('Whether the proxy is in use.'),
    isVerified: z.boolean().describe('Whether the DNS records of its host are correct.'),
  }),
  event('custom_hostname.activated', hostname),
  event('custom_hostname.deactivated', {
    ...hostname,
    reason: z
      .enum(['expired', 'taken'])
      .describe(
        'Why: its DNS records were wrong for too long (`expired`), or another organization proved that it owns the hostname (`taken`).',
      ),
  }),
  event('member.added', {
    ...user,
    role: NullableRole.describe('The role; null for a guest.'),
  }),
  event('member.updated', {
    ...user,
    role: NullableRole.describe('The role; null for guests.'),
    disabled: z.boolean().optional().describe('Whether the member is disabled.'),
  }),
  event('member.removed', user),
  event('team.created', team),
  event('team.updated', team),
  event('team.members.updated', team),
  event('team.deleted', team),
  event('invite.created', invite),
  event('invite.updated', invite),
  event('invite.accepted', { ...invite, ...user }),
  event('invite.deleted', invite),
  event('saml_provider.created', samlProvider),
  event('saml_provider.updated', samlProvider),
  event('saml_provider.deleted', samlProvider),
  event('organization.updated', {}),
] as const;

/** The public object of an event; its fields depend on its type. */
export const EventObject = z.discriminatedUnion('type', options).meta({
  id: 'Event',
  description: 'Something that happened in an organization; its fields depend on its type.',
});
export type EventObject = z.infer<typeof EventObject>;

export type EventType = EventObject['type'];
export const EVENT_TYPES = options.map(({ shape }) => shape.type.value) as [EventType, ...EventType[]];

/** The events that only the organization's admins may view, since only admins may view what they are about. */
export const ADMIN_EVENTS: readonly EventType[] = [
  'space.permission.updated',
  'collection.permission.updated',
  'site.permission.updated',
  'invite.created',
  'invite.updated',
  // guard: invite-events-admins
  'invite.accepted',
  'invite.deleted',
  'saml_provider.created',
  'saml_provider.updated',
  'saml_provider.deleted',
];

/** The events about the progress of something, which are not audited. */
export const PROGRESS_EVENTS: readonly EventType[] = ['space.import.updated'];

type Common = Exclude<keyof typeof common, 'organization'>;
type Recorded<One> = One extends { space: string }
  ? Omit<One, Common | 'organization'> & { organization?: string }
  : Omit<One, Common>;

/** An event as operations record it. An event about a space belongs to the space's organization unless it names another. */
export type NewEvent = Recorded<EventObject> & { actor?: string };

type Columns = Omit<Presentable<Event>, 'number'>;

export function presentEvent(row: Columns): EventObject {
  const { id, type, organization, actor, space, collection, changeRequest, site, details, createdAt } = row;
  return {
    object: 'event',
    id,
    type,
    createdAt: isoTime(createdAt),
    organization,
    ...(actor && { actor }),
    ...(space && { space }),
    ...(collection && { collection }),
    ...(changeRequest && { changeRequest }),
    ...(site && { site }),
    ...details,
  } as EventObject;
}
