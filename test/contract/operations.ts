import { readFileSync } from 'node:fs';
import type { AnyProcedure } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../../routers/base/trpc.ts';
import { appRouter } from '../../routers/index.ts';
import { isHttpInput } from '../../routers/sql/pagination.ts';
import { openApiDocument } from '../../server/http/openapi.ts';

/** A procedure in the REST API. */
export interface Operation {
  /** The name of the procedure in tRPC. */
  name: string;
  procedure: AnyProcedure;
  meta: Meta;
  method: string;
  path: string;
  pathParameters: string[];
  /** The schemas of all inputs by key, from path, query and body. */
  shape: Record<string, z.ZodType>;
}

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyProcedure>);
const openapiOf = (procedure: AnyProcedure) => (procedure._def.meta as Meta | undefined)?.openapi;

/** The procedures that are not in the REST API, except subscriptions: those of the operator. */
export const operatorProcedures = procedures
  .filter(([, procedure]) => !openapiOf(procedure) && procedure._def.type !== 'subscription')
  .map(([name]) => name);

export const operations: Operation[] = procedures.flatMap(([name, procedure]) => {
  const openapi = openapiOf(procedure);
  if (!openapi) return [];
  const shape: Record<string, z.ZodType> = {};
  for (const input of procedure._def.inputs) {
    if (input instanceof z.ZodObject) Object.assign(shape, input.shape);
  }
  for (const [name, schema] of Object.entries(shape)) if (!isHttpInput(schema)) delete shape[name];
  const { method, path } = openapi;
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter as string);
  return [{ name, procedure, meta: procedure._def.meta as Meta, method, path, pathParameters, shape }];
});

const { paths } = openApiDocument('http://docs.test');

/** The statuses that the OpenAPI document lists for an operation. */
export const documentedStatuses = ({ path, method }: Operation): string[] =>
  Object.keys(paths[path]?.[method.toLowerCase()]?.responses ?? {});

/** Pairs each operation with its title, for `test.for`. */
export const titled = (list: Operation[]) =>
  list.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

export interface PublishedOperation {
  operationId: string;
  parameters?: object[];
  responses: Record<string, object>;
}
interface PublishedDocument {
  paths: Record<string, Record<string, PublishedOperation>>;
  components: Record<string, Record<string, object>>;
}

/** A version of the published client. */
export interface PublishedClient {
  version: string;
  document: PublishedDocument;
}

const readClient = (name: string): PublishedClient => {
  const read = (path: string) =>
    JSON.parse(readFileSync(new URL(`../../node_modules/${name}/${path}`, import.meta.url), 'utf8'));
  return { version: read('package.json').version, document: read('spec/openapi.json') };
};

/** The version of the client that the contract was written for. */
export const CONTRACT_CLIENT = readClient('@gitbook/api');
/** All clients that must understand the responses; if they contradict each other, the first one wins. */
export const CLIENTS = [CONTRACT_CLIENT, readClient('gitbook-api-newest')] as const;

/** Operations that the published client of the contract does not know. */
const EXTENSIONS = [
  'updateSpaceContent',
  'updateChangeRequestContent',
  'createSpaceUpload',
  'previewChangeRequestMerge',
  'revertMergeRevision',
  'importContent',
  'listRevisions',
  'compareRevisions',
  'compareChangeRequest',
  'listChangeRequestConflicts',
  'resolveChangeRequestConflicts',
  'createOrganization',
  'listTokensOfAuthenticatedUser',
  'createTokenOfAuthenticatedUser',
  'deleteTokenOfAuthenticatedUser',
  'exportContent',
  'exportRevisionById',
  'getOpenAPIInFileOfRevisionById',
  'listHeadingsInRevisionById',
  'exportContentOfChangeRequestById',
  'refreshOpenAPISpec',
  'getLatestOpenAPISpecVersionRawContent',
  'getOpenAPISpecVersionRawContentById',
  'listEvents',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'listWebhookDeliveries',
  'replayWebhookDelivery',
  'patchSiteCustomizationById',
  'setSiteSpaceCustomizationById',
  'inviteToSite',
  'listUserPermissionsInSite',
  'updateUserPermissionInSite',
  'removeUserFromSite',
  'listTeamPermissionsInSite',
  'updateTeamPermissionInSite',
  'removeTeamFromSite',
  'listCustomHostnames',
  'setCustomHostname',
  'listOrganizationInvites',
  'deleteOrganizationInvite',
  'listOrganizationAuditEvents',
  'exportOrganizationAuditEvents',
  'getOrganizationAuditEvent',
  'listOrganizationAuditEventActions',
  'deleteConversationById',
  'cancelTranslation',
  'signIn',
  'signOut',
  'requestPasswordLink',
  'setPasswordWithLink',
  'changePasswordOfAuthenticatedUser',
  'requestEmailVerification',
  'verifyEmail',
  'getInvite',
  'acceptInvite',
  'createAccount',
  'listSessionsOfAuthenticatedUser',
  'deleteSessionOfAuthenticatedUser',
  'deleteSessionsOfAuthenticatedUser',
  'getPendingSecondFactor',
  'setUpPendingTotp',
  'signInWithSecondFactor',
  'getSecondFactorOfAuthenticatedUser',
  'setUpTotpOfAuthenticatedUser',
  'confirmTotpOfAuthenticatedUser',
  'createRecoveryCodesOfAuthenticatedUser',
  'removeSecondFactorOfAuthenticatedUser',
  'getSecondFactorPolicyInOrganizationById',
  'setSecondFactorPolicyInOrganizationById',
  'getPasskeySignInOptions',
  'signInWithPasskey',
  'listPasskeysOfAuthenticatedUser',
  'getPasskeyCreationOptions',
  'createPasskeyOfAuthenticatedUser',
  'updatePasskeyOfAuthenticatedUser',
  'deletePasskeyOfAuthenticatedUser',
  'listIdentityProviders',
  'listIdentitiesOfAuthenticatedUser',
  'deleteIdentityOfAuthenticatedUser',
];

export const isExtension = ({ meta }: Operation): boolean =>
  EXTENSIONS.includes(meta.openapi?.operationId ?? '');

/** The operation of a published client with the same method and path; undefined if it has none. */
export const publishedOperation = (
  { method, path }: Pick<Operation, 'method' | 'path'>,
  { document }: PublishedClient,
): PublishedOperation | undefined => document.paths[path]?.[method.toLowerCase()];

/** Extensions at paths for which a newer client later introduced a different operation. */
const CONFLICTING = ['getLatestOpenAPISpecVersionRawContent'];

/** The operations that a published client can call. */
export const operationsOf = (client: PublishedClient): Operation[] =>
  operations.filter(
    (operation) =>
      publishedOperation(operation, client) !== undefined &&
      !CONFLICTING.includes(operation.meta.openapi?.operationId ?? ''),
  );

/** The tags of the API document, in order. */
export const TAGS = [
  'Collections',
  'Spaces',
  'Space comments',
  'Space content',
  'Change requests',
  'Change request content',
  'Change request comments',
  'Sites',
  'Site redirects',
  'Search',
  'Hostnames',
  'URLs',
  'Organizations',
  'Members',
  'Teams',
  'Users',
  'Joining',
  'Signing in',
  'SAML',
  'OpenAPI specs',
  'Conversations',
  'Translations',
  'Events',
  'Audit log',
  'Webhooks',
];
