import type { OpenApiDocument, Operation, ResponseObject, Schema } from './types.ts';

/** The names that the published client gives to request bodies, by operation id. */
const PUBLISHED_NAMES: Readonly<Record<string, string>> = {
  createSpace: 'CreateSpace',
  inviteToCollection: 'InviteUsersAndTeams',
  inviteToSpace: 'InviteUsersAndTeams',
  inviteToSite: 'InviteUsersAndTeams',
  postCommentInSpace: 'PostCommentSchema',
  postCommentInChangeRequest: 'PostCommentSchema',
  postCommentReplyInSpace: 'PostCommentReplySchema',
  postCommentReplyInChangeRequest: 'PostCommentReplySchema',
  updateCommentInSpace: 'UpdateCommentSchema',
  updateCommentInChangeRequest: 'UpdateCommentSchema',
  updateCommentReplyInSpace: 'UpdateCommentReplySchema',
  updateCommentReplyInChangeRequest: 'UpdateCommentReplySchema',
  updateMembersInOrganizationTeam: 'UpdateMembersInOrganizationTeam',
  inviteUsersToOrganization: 'InviteUsersToOrganization',
  createOrganizationInvite: 'CreateOrganizationInvite',
  updateSitePublishingAuthById: 'SitePublishingAuthUpdate',
  updateSpaceContent: 'EditContent',
  updateChangeRequestContent: 'EditContent',
};

const REFERENCE = '#/components/schemas/';
const capitalized = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const nameIn = (schema: Schema | undefined) => schema?.$ref?.slice(REFERENCE.length);
/** A schema as text without its description, to compare it with others. */
const textOf = ({ description: _, ...schema }: Schema) => JSON.stringify(schema);

/** Gives the body of each request and response a name, so that generated clients have a type for it. */
export function nameBodies(document: OpenApiDocument): void {
  const { schemas } = document.components;
  const register = (preferred: readonly string[], schema: Schema, description: string): Schema => {
    for (const name of preferred) {
      const taken = schemas[name];
      if (taken && textOf(taken) !== textOf(schema)) continue;
      schemas[name] = taken ?? { description, ...schema };
      return { $ref: `${REFERENCE}${name}` };
    }
    throw new Error(`The names ${preferred.join(' and ')} are taken: name the schema with .meta({ id }).`);
  };
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    nameRequest(operation, register);
    for (const response of Object.values(operation.responses)) nameResponse(operation, response, register);
  }
}

type RegisterSchema = (preferred: readonly string[], schema: Schema, description: string) => Schema;

function nameRequest({ operationId, summary, requestBody }: Operation, register: RegisterSchema): void {
  const content = requestBody?.content['application/json'];
  if (!content || content.schema.$ref) return;
  const own = capitalized(operationId);
  const preferred = [PUBLISHED_NAMES[operationId] ?? `${own}Request`, `${own}Request`];
  content.schema = register(preferred, content.schema, `The request body of “${summary}”.`);
}

function nameResponse(
  { operationId, summary }: Operation,
  response: ResponseObject | object,
  register: RegisterSchema,
): void {
  const content = 'content' in response ? response.content?.['application/json'] : undefined;
  if (!content || content.schema.$ref) return;
  const { properties } = content.schema;
  const own = capitalized(operationId);
  if (properties?.next && properties.count) {
    const item = nameIn(properties.items?.items);
    const preferred = [...(item ? [`${item}List`] : []), `${own.replace(/^List/, '')}List`];
    content.schema = register(preferred, content.schema, 'One page of a list.');
  } else {
    content.schema = register([`${own}Response`], content.schema, `The response body of “${summary}”.`);
  }
}
