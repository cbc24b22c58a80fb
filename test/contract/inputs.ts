import { z } from 'zod';
import type { Operation } from './operations.ts';

/** An id for each kind of id in inputs. */
export type Ids = Record<string, string>;

interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  minimum?: number;
  format?: string;
  pattern?: string;
}

/** The kind of id in a field, by operation and path, by path, or by name. */
const ID_KINDS: Readonly<Record<string, string>> = {
  action: 'text',
  actor: 'userId',
  add: 'userId',
  addedReactions: 'text',
  anchor: 'text',
  upload: 'archive',
  authors: 'userId',
  base: 'revisionId',
  'changes.conflict': 'conflictId',
  'changes.files.upload': 'upload',
  'changes.into': 'groupId',
  'changes.page': 'pageId',
  'changes.revision': 'revisionId',
  'changes.tags.tag': 'text',
  changeRequest: 'changeRequestId',
  collection: 'shelvedCollectionId',
  conflicts: 'conflictId',
  contributor: 'userId',
  cluster: 'clusterId',
  conversation: 'conversationId',
  'conversations.id': 'text',
  conversationsIssuesCluster: 'clusterId',
  creator: 'userId',
  defaultSiteSection: 'siteSectionId',
  defaultSiteSpace: 'siteSpaceId',
  defaultTeam: 'teamId',
  definition: 'text',
  'emails.email': 'text',
  email: 'text',
  file: 'fileId',
  'item.id': 'siteSectionId',
  members: 'userId',
  node: 'nodeId',
  'operations.id': 'glossaryEntryId',
  organization: 'destinationId',
  organizationId: 'organizationId',
  owner: 'userId',
  pageId: 'pageId',
  page: 'pageId',
  pages: 'pageId',
  parent: 'siblingCollectionId',
  'position.after.id': 'siblingSectionId',
  'position.after.siteSpace': 'siblingSiteSpaceId',
  'position.before.id': 'siblingSectionId',
  'position.before.siteSpace': 'siblingSiteSpaceId',
  record: 'text',
  'scope.currentSiteSpace': 'siteSpaceId',
  'scope.siteSpaceIds': 'siteSpaceId',
  siteSpaceId: 'siteSpaceId',
  siteSpaceIds: 'siteSpaceId',
  remove: 'userId',
  removedReactions: 'text',
  requestedReviewer: 'userId',
  reusableContent: 'reusableContentId',
  'search.searchSpace revision': 'revisionId',
  'embeds.get revision': 'revisionId',
  sectionId: 'siblingSectionId',
  sections: 'siblingSectionId',
  siteSection: 'siblingSectionId',
  'siteSectionGroups.create parent': 'siteSectionGroupId',
  site: 'siteId',
  siteSpace: 'siteSpaceId',
  'destination.pageId': 'sitePageId',
  'destination.siteSectionId': 'siteSectionId',
  'destination.siteSpaceId': 'siteSpaceId',
  space: 'siblingSpaceId',
  spaceId: 'siblingSpaceId',
  spaces: 'siblingSpaceId',
  spec: 'text',
  'styling.font.id': 'text',
  'styling.monospaceFont.id': 'text',
  'auditEvents.list target': 'spaceId',
  'auditEvents.export target': 'spaceId',
  targetPage: 'pageId',
  targetType: 'text',
  team: 'teamId',
  teams: 'teamId',
  user: 'userId',
  users: 'userId',
};

/** Records whose keys are ids. */
const KEY_KINDS: Readonly<Record<string, string>> = { memberships: 'userId' };

/** Fields with text, or with values signed by the service that only it reads. */
const TEXT_FIELDS = new Set([
  'attributes',
  'authenticatorAttachment',
  'base64',
  'body',
  'claims',
  'code',
  'condition',
  'current',
  'copyright',
  'cursor',
  'description',
  'displayName',
  'emailDomains',
  'emails',
  'emoji',
  'entityID',
  'invite',
  'language',
  'password',
  'returnTo',
  'secret',
  'certificate',
  'expression',
  'icon',
  'markdown',
  'message',
  'name',
  'query',
  'search',
  'jwtToken',
  'label',
  'shareKey',
  'source',
  'slug',
  'subject',
  'source.text',
  'template.id',
  'title',
  'transports',
  'url',
  'userHandle',
  'variables',
  'visitorAuthToken',
  'lastEventId',
]);

/** Values for texts that are parsed, and for those with a format. */
const VALUES: Readonly<Record<string, string>> = {
  emoji: '1f4d8',
  source: '/old',
  'siteRedirects.create source': '/new',
  base64: 'AAAA',
  slug: 'some-text',
  claims: '(isBeta:!t)',
  condition: 'visitor.claims.isBeta',
  dark: '#346ddb',
  light: '#346ddb',
  'template.id': 'import',
  'translations.create language': 'fr',
  uri: 'https://example.com/',
  email: 'someone@example.com',
  emailDomains: 'example.com',
  emails: 'someone@example.com',
  certificate: '',
  base64url: 'AAAA',
  'date-time': '2100-01-01T00:00:00.000Z',
};

/** A field of an input with an id. */
export interface IdField {
  /** The path to the field, without array indexes. */
  path: string;
  /** The kind of id. */
  kind: string;
  /** The minimal input with this field set to `id`. */
  withId(id: string): Record<string, unknown>;
}

interface Form {
  minimal: unknown;
  fields: (Omit<IdField, 'withId'> & { withId(id: string): unknown })[];
}

/** Additional input that some operations need, always or together with a field. */
const EXTRA_INPUT: Readonly<Record<string, (ids: Ids) => object>> = {
  'collections.move': ({ siblingCollectionId }) => ({ parent: siblingCollectionId }),
  'comments.post': ({ pageId }) => ({ page: pageId }),
  'changeRequestComments.post': ({ pageId }) => ({ page: pageId }),
  'linkInvites.create': () => ({ role: 'read' }),
  'linkInvites.create collection': () => ({ level: 'read' }),
  'linkInvites.create space': () => ({ level: 'read' }),
  'specs.create': () => ({ source: { text: '{}' } }),
  'specs.put': () => ({ source: { text: '{}' } }),
  'auth.signIn': ({ email, password }) => ({ email, password }),
  'auth.changePassword': ({ password }) => ({ current: password, password: `${password}!` }),
  'auth.setPassword': ({ passwordSecret: secret }) => ({ secret }),
  'auth.verifyEmail': ({ verificationSecret: secret }) => ({ secret }),
  'auth.requestPasswordLink': () => ({ email: 'someone@example.com' }),
  'auth.createAccount': ({ secret: invite }) => ({
    invite,
    email: 'account@example.com',
    displayName: 'Jane',
  }),
  'urls.getContent': ({ spaceId }) => ({ url: `http://docs.test/app/spaces/${spaceId}` }),
  'urls.getPublished': ({ siteId }) => ({ url: `http://docs.test/sites/${siteId}` }),
  'urls.resolvePublished': ({ siteId }) => ({ url: `http://docs.test/sites/${siteId}` }),
  'spaces.move': ({ siblingCollectionId }) => ({ parent: siblingCollectionId }),
  'collectionPermissions.invite': ({ userId }) => ({ users: [userId] }),
  'spacePermissions.invite': ({ userId }) => ({ users: [userId] }),
  'sitePermissions.invite': ({ userId }) => ({ users: [userId] }),
};

/**
 * The minimal input of an operation, with ids in all required fields, and all its fields that can have ids, except path
 * parameters.
 * @throws Error for a field that is unknown to this file
 */
export function inputOf(
  operation: Operation,
  ids: Ids,
): { minimal: Record<string, unknown>; fields: IdField[] } {
  const json = schemaOf(operation);
  const form = formOf(json, [], { ids, defs: json.$defs ?? {}, operation, open: [] });
  const more = EXTRA_INPUT[operation.name]?.(ids) ?? {};
  return {
    minimal: { ...(form.minimal as object), ...more },
    fields: form.fields.map((field) => ({
      ...field,
      withId: (id) => ({
        ...more,
        ...EXTRA_INPUT[`${operation.name} ${field.path}`]?.(ids),
        ...(field.withId(id) as object),
      }),
    })),
  };
}

const schemas = new Map<Operation, JsonSchema>();

/** The input without path parameters. It is cached, because each test of an operation needs it and computing it is slow. */
function schemaOf(operation: Operation): JsonSchema {
  const known = schemas.get(operation);
  if (known) return known;
  const shape = Object.fromEntries(
    Object.entries(operation.shape).filter(([name]) => !operation.pathParameters.includes(name)),
  );
  const json = z.toJSONSchema(z.object(shape), { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  schemas.set(operation, json);
  return json;
}

interface SchemaContext {
  ids: Ids;
  defs: Record<string, JsonSchema>;
  operation: Operation;
  /** References that are being resolved, since a schema may be recursive. */
  open: readonly string[];
}

function formOf(json: JsonSchema, path: readonly string[], reading: SchemaContext): Form {
  const form = formWithoutDefault(json, path, reading);
  return 'default' in json ? { ...form, minimal: json.default } : form;
}

function formWithoutDefault(json: JsonSchema, path: readonly string[], reading: SchemaContext): Form {
  if (json.$ref) {
    const name = json.$ref.replace('#/$defs/', '');
    const schema = reading.defs[name];
    if (!schema || reading.open.includes(name)) return { minimal: undefined, fields: [] };
    return formOf(schema, path, { ...reading, open: [...reading.open, name] });
  }
  if ('const' in json) return { minimal: json.const, fields: [] };
  if (json.enum) {
    const value = VALUES[`${reading.operation.name} ${path.join('.')}`];
    return { minimal: value ?? json.enum[0], fields: [] };
  }
  const options = json.anyOf ?? json.oneOf;
  if (options) {
    const forms = options.map((option) => formOf(option, path, reading));
    return { minimal: forms[0]?.minimal, fields: forms.flatMap(({ fields }) => fields) };
  }
  const type = Array.isArray(json.type) ? json.type[0] : json.type;
  if (type === 'object') return objectForm(json, path, reading);
  if (type === 'array') {
    const item = formOf(json.items ?? {}, path, reading);
    return {
      minimal: Array.from({ length: json.minItems ?? 0 }, () => item.minimal),
      fields: item.fields.map((field) => ({ ...field, withId: (id) => [field.withId(id)] })),
    };
  }
  if (type === 'string') return stringForm(json, path, reading);
  if (type === 'number' || type === 'integer') return { minimal: json.minimum ?? 1, fields: [] };
  return { minimal: type === 'boolean' ? false : null, fields: [] };
}

/** A document may link to anything, because links are resolved for each reader. */
const EMPTY_DOCUMENT = { object: 'document', data: { schemaVersion: 1 }, nodes: [] };

function objectForm(json: JsonSchema, path: readonly string[], reading: SchemaContext): Form {
  if (json.properties?.object?.const === 'document') return { minimal: EMPTY_DOCUMENT, fields: [] };
  const forms = Object.entries(json.properties ?? {}).map(
    ([name, schema]) => [name, formOf(schema, [...path, name], reading)] as const,
  );
  const required = new Set(json.required);
  const minimal = Object.fromEntries(
    forms.filter(([name]) => required.has(name)).map(([name, form]) => [name, form.minimal]),
  );
  const fields: Form['fields'] = forms.flatMap(([name, form]) =>
    form.fields.map((field) => ({ ...field, withId: (id) => ({ ...minimal, [name]: field.withId(id) }) })),
  );
  if (typeof json.additionalProperties === 'object') {
    const value = formOf(json.additionalProperties, path, reading);
    fields.push(
      ...value.fields.map((field) => ({ ...field, withId: (id: string) => ({ key: field.withId(id) }) })),
    );
    const kind = KEY_KINDS[path.join('.')];
    if (kind) fields.push({ path: path.join('.'), kind, withId: (id) => ({ [id]: value.minimal }) });
  }
  return { minimal, fields };
}

function stringForm(json: JsonSchema, path: readonly string[], { ids, operation }: SchemaContext): Form {
  const at = path.join('.');
  const name = path.at(-1) ?? '';
  const value = VALUES[json.format ?? ''] ?? VALUES[`${operation.name} ${at}`] ?? VALUES[at] ?? VALUES[name];
  const isCursor = at === 'page' && 'limit' in operation.shape;
  if (json.format || json.pattern || isCursor || TEXT_FIELDS.has(at) || TEXT_FIELDS.has(name))
    return { minimal: value ?? 'Some text', fields: [] };
  const kind = idKindAt(operation, path);
  if (kind === 'text') return { minimal: 'Some text', fields: [] };
  if (!kind)
    throw new Error(
      `${operation.name} takes "${at}": add it to ID_KINDS or TEXT_FIELDS in ${import.meta.filename}`,
    );
  return { minimal: idOf(ids, kind, at), fields: [{ path: at, kind, withId: (id) => id }] };
}

/** The kind of id that a field has; `text` for none, undefined if it is unknown. */
export const idKindAt = ({ name }: Operation, path: readonly string[]): string | undefined =>
  ID_KINDS[`${name} ${path.join('.')}`] ?? ID_KINDS[path.join('.')] ?? ID_KINDS[path.at(-1) ?? ''];

/** The id of this kind. @throws Error if there is none */
export function idOf(ids: Ids, kind: string, at = kind): string {
  const id = ids[kind];
  if (id === undefined) throw new Error(`there is no ${kind} for "${at}" in the example world: add one`);
  return id;
}
