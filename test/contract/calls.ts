import { type ApiResponse, type Client, expectOk } from '../helpers/service.ts';
import { type Ids, idOf, inputOf } from './inputs.ts';
import { documentedStatuses, type Operation } from './operations.ts';
import type { World } from './world.ts';

/** Operations that need a different state or user than the others. */
const ID_OVERRIDES: Readonly<Record<string, (world: World) => Ids>> = {
  'invites.accept': ({ ids }) => ({ inviteId: idOf(ids, 'inviteSecret') }),
  'invites.revoke': ({ ids }) => ({ inviteId: idOf(ids, 'emailInviteId') }),
  'spaces.restore': ({ ids }) => ({ spaceId: idOf(ids, 'deletedSpaceId') }),
  'sites.publish': ({ ids }) => ({ siteId: idOf(ids, 'unpublishedSiteId') }),
  'siteSectionGroups.removeSection': ({ ids }) => ({ siteSectionId: idOf(ids, 'groupedSectionId') }),
  'users.update': ({ owner }) => ({ userId: owner.id }),
};

/** The comments of a change request, whose ids are in the same parameters as those of its space. */
const IN_CHANGE_REQUEST = /^changeRequestComments\./;

/** The ids for an operation in this world. */
export const idsFor = (operation: Operation, world: World): Ids => ({
  ...world.ids,
  ...(IN_CHANGE_REQUEST.test(operation.name) && {
    commentId: idOf(world.ids, 'requestCommentId'),
    commentReplyId: idOf(world.ids, 'requestReplyId'),
  }),
  ...ID_OVERRIDES[operation.name]?.(world),
});

/** Operations that the required level allows only on the caller's own objects: deleting comments and replies. */
const OWN_OBJECTS_ONLY = /omments\.delete(Reply)?$/;

/** The ids for an operation, with the caller's own objects where those of others require more. */
export async function idsForOwner(person: Client, operation: Operation, world: World): Promise<Ids> {
  const ids = idsFor(operation, world);
  if (!OWN_OBJECTS_ONLY.test(operation.name)) return ids;
  const [comments = ''] = pathOf(operation, ids).split(ids.commentId as string);
  const { id: commentId } = await expectOk(person.post(comments.slice(0, -1), { body: {} }));
  const { id: commentReplyId } = await expectOk(person.post(`${comments}${commentId}/replies`, { body: {} }));
  return { ...ids, commentId, commentReplyId };
}

const pathOf = ({ path }: Operation, ids: Ids): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idOf(ids, name)));

const DENIALS = [401, 403, 404];

/**
 * Calls an operation with these ids and, by default, with the minimal valid input.
 * @throws Error if the caller is denied with a status that the OpenAPI document does not list
 */
export async function call(
  client: Client,
  operation: Operation,
  ids: Ids,
  input?: Record<string, unknown>,
): Promise<ApiResponse> {
  const response = await send(client, operation, ids, input);
  const { status, body } = response;
  if (DENIALS.includes(status) && !documentedStatuses(operation).includes(String(status)))
    throw new Error(`${operation.name} does not document the status ${status}: ${JSON.stringify(body)}`);
  return response;
}

function send(
  client: Client,
  operation: Operation,
  ids: Ids,
  input: Record<string, unknown> = inputOf(operation, ids).minimal,
): Promise<ApiResponse> {
  const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
  const url = pathOf(operation, ids);
  if (method !== 'get' && method !== 'delete') {
    const { body } = operation.meta;
    return client[method](url, body === undefined ? input : (input[body] as object));
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]) => [name, String(value)] as [string, string]),
  );
  return client[method](query.size > 0 ? `${url}?${query}` : url);
}
