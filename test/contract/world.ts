import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { issuePasswordLink, issueVerificationLink } from '../../routers/auth/links.operation.ts';
import { addPasskey } from '../../routers/auth/passkeys.operation.ts';
import type { Meta } from '../../routers/base/trpc.ts';
import { createCaller } from '../../routers/index.ts';
import { ROLES, type Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { toolContext } from '../../server/context.ts';
import { openSessionFor } from '../auth/browser.ts';
import type { Person } from '../helpers/builders.ts';
import { processConversations } from '../helpers/conversations.ts';
import { makeFolder } from '../helpers/folders.ts';
import { IDENTITY_PROVIDER } from '../helpers/identity-provider.ts';
import { type ApiResponse, type Client, expectOk, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';
import { runTranslations } from '../helpers/translations.ts';
import { type Ids, idOf, inputOf } from './inputs.ts';
import { documentedStatuses, type Operation } from './operations.ts';

/** An organization with one of each object that an operation can refer to. */
export interface World {
  admin: Client;
  /** The admin, who is also an admin of the organization `destinationId`. */
  owner: Person;
  /** The ids by the name of their path parameter, and by the kinds in `inputs.ts`. */
  ids: Ids;
}

/** A minimal PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/**
 * Creates one of each object through the API itself. New kinds of objects must be added here, and are then covered. Two
 * worlds with different titles share no ids, paths or content.
 */
export async function buildWorld(service: TestService, { title = 'Acme' } = {}): Promise<World> {
  const { id: organizationId, admin: owner } = await service.build.organization({ title });
  const destination = await service.build.organization({ title: `${title} abroad` });
  await service.build.join(destination.id, owner.id, 'admin');
  const member = await service.build.member(organizationId, 'edit');
  const admin = service.as(owner.token);
  const ids: Ids = { organizationId, userId: member.id, destinationId: destination.id };

  await buildPlaces(admin, ids);
  await buildContent(service, admin, ids, title);
  await buildChangeRequest(admin, ids, title);
  await buildComments(admin, ids);
  await buildWebhook(service, admin, ids);
  await buildSpec(service, admin, ids, title);
  await buildConversation(service, admin, ids, title);
  await buildTranslation(service, admin, ids, title);
  await buildSite(admin, ids);
  await buildAddresses(admin, ids);
  await buildJoining(service, admin, ids, owner);
  await buildSignIn(service, ids, owner);
  ids.tokenId = (await expectOk(admin.post('/user/tokens', { name: 'CI' }))).id;
  const audited = await expectOk(admin.get(`/orgs/${organizationId}/audit-events?limit=1`));
  ids.auditEventId = audited.items[0].id;
  return { admin, owner, ids };
}

/** The space is in a nested collection; there is one more of each. */
async function buildPlaces(admin: Client, ids: Ids): Promise<void> {
  const organization = `/orgs/${ids.organizationId}`;
  const make = async (kind: string, body: object) =>
    (await expectOk(admin.post(`${organization}/${kind}`, body))).id;
  ids.teamId = (
    await expectOk(admin.put(`${organization}/teams`, { title: 'Writers', members: [ids.userId] }))
  ).id;
  ids.outerCollectionId = await make('collections', { title: 'Library' });
  const parent = ids.outerCollectionId;
  ids.collectionId = await make('collections', { title: 'Guides', parent });
  ids.siblingCollectionId = await make('collections', { title: 'Shelf', parent });
  ids.shelvedCollectionId = await make('collections', { title: 'Row', parent: ids.siblingCollectionId });
  ids.spaceId = await make('spaces', { title: 'Handbook', emoji: '1f4d8', parent: ids.collectionId });
  ids.siblingSpaceId = await make('spaces', { title: 'Manual', parent: ids.siblingCollectionId });
  ids.deletedSpaceId = await make('spaces', { title: 'Discarded', parent });
  await expectOk(admin.delete(`/spaces/${ids.deletedSpaceId}`));
  for (const content of [`/spaces/${ids.spaceId}`, `/collections/${ids.collectionId}`]) {
    const grant = { role: 'review', users: [ids.userId], teams: [ids.teamId] };
    await expectOk(admin.post(`${content}/permissions`, grant));
  }
}

/** A paragraph that is both in the space and in its change request. */
const sharedParagraph = (title: string) => `Kept in ${title}.`;

/** A documentation repository, with content that cannot be created through the API alone. */
const repository = (title: string): Record<string, string> => ({
  [`${title}.md`]: `# Start ${title}\n\nSome **bold** [text](https://example.com) and [more](below.md) of ${title}.\n\n* one\n* two\n\n${sharedParagraph(title)}\n`,
  'below.md': '# Below\n\n{% include ".gitbook/includes/note.md" %}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'SUMMARY.md': `# Table of contents\n\n* [Start ${title}](${title}.md)\n  * [Below](below.md)\n`,
  '.gitbook/includes/note.md': `---\ntitle: Note\n---\n\nThe same everywhere in ${title}.\n`,
});

async function buildContent(service: TestService, admin: Client, ids: Ids, title: string): Promise<void> {
  const folder = await makeFolder('world');
  for (const [name, text] of Object.entries(repository(title))) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { database, services } = service.runtime;
  const tools = createCaller(toolContext(database, services));
  const { spaceId: space = '', organizationId: organization, userId: user } = ids;
  await tools.installation.content.importFolder({ folder, space, organization, user });

  const at = `/spaces/${space}`;
  const { changes } = await expectOk(
    admin.post(`${at}/content`, {
      compat: false,
      changes: [
        { operation: 'insert_files', files: [{ base64: PIXEL, name: 'pixel.png', ref: 'pixel' }] },
        { operation: 'insert_files', files: [{ base64: toBase64('Text.\n'), name: `${title}.md` }] },
        { operation: 'insert_page', title: 'Group', type: 'group' },
      ],
    }),
  );
  ids.groupId = changes.pages[0].id;
  const uploadOf = async (bytes: string | Buffer) =>
    upload(service, (await expectOk(admin.post(`${at}/uploads`))).url, bytes);
  ids.upload = await uploadOf('Uploaded.\n');
  ids.archive = await uploadOf(await zipOf('README.md', '# Imported\n'));

  // The revision must be that of a merge, so that it can be reverted.
  const request = await expectOk(admin.post(`${at}/change-requests`, { subject: 'Addition' }));
  const addition = { operation: 'insert_page', title: `Added to ${title}` };
  await expectOk(admin.post(`${at}/change-requests/${request.id}/content`, { changes: [addition] }));
  ids.revisionId = (await expectOk(admin.post(`${at}/change-requests/${request.id}/merge`))).revision;

  const last = { operation: 'insert_page', title: `Added later to ${title}` };
  await expectOk(admin.post(`${at}/content`, { changes: [last] }));
  const revision = await expectOk(admin.get(`${at}/content`));
  const [page] = revision.pages;
  ids.latestRevisionId = revision.id;
  ids.pageId = page.id;
  ids.pagePath = page.path;
  ids.documentId = page.documentId;
  ids.fileId = revision.files.find(({ name }: { name: string }) => name.endsWith('.md')).id;
  ids.reusableContentId = revision.reusableContents[0].id;
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/** A zip archive with one file. */
async function zipOf(path: string, text: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(text), path);
  zip.end();
  return buffer(zip.outputStream);
}

/** Uploads bytes to a signed URL; returns the `upload` for use in an edit. */
async function upload({ app }: TestService, url: string, payload: string | Buffer): Promise<string> {
  const { pathname, search } = new URL(url);
  const headers = { 'content-type': 'text/plain' };
  const response = await app.inject({ method: 'PUT', url: pathname + search, headers, payload });
  if (response.statusCode >= 300) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json().upload;
}

/** A change request with a review, a requested reviewer, and an unresolved conflict from an update. */
async function buildChangeRequest(admin: Client, ids: Ids, title: string): Promise<void> {
  const space = `/spaces/${ids.spaceId}`;
  const request = await expectOk(admin.post(`${space}/change-requests`, { subject: 'Improve' }));
  ids.changeRequestId = request.id;
  const one = `${space}/change-requests/${request.id}`;
  const retitle = (title: string) => ({ changes: [{ operation: 'update_page', page: ids.groupId, title }] });
  await expectOk(
    admin.post(`${one}/content`, {
      changes: [
        ...retitle('Ours').changes,
        {
          operation: 'update_page',
          page: ids.pageId,
          document: { markdown: `New text.\n\n${sharedParagraph(title)}` },
        },
      ],
    }),
  );
  await expectOk(admin.post(`${space}/content`, retitle('Theirs')));
  await expectOk(admin.post(`${one}/update`));
  ids.conflictId = (await expectOk(admin.get(`${one}/conflicts`))).items[0].id;
  ids.reviewId = (
    await expectOk(admin.post(`${one}/reviews`, { status: 'approved', comment: { markdown: 'Good.' } }))
  ).id;
  await expectOk(admin.post(`${one}/requested-reviewers`, { users: [ids.userId] }));
}

/** A comment with a reply and a reaction, on the space and on the change request. */
async function buildComments(admin: Client, ids: Ids): Promise<void> {
  const space = `/spaces/${ids.spaceId}`;
  const { document } = await expectOk(admin.get(`${space}/content/page/${ids.pageId}?format=document`));
  ids.nodeId = document.nodes.at(-1).key;
  const body = { markdown: 'Some **text**.' };
  const comment = async (at: string) => {
    const { id } = await expectOk(admin.post(`${at}/comments`, { page: ids.pageId, node: ids.nodeId, body }));
    const reply = await expectOk(admin.post(`${at}/comments/${id}/replies`, { body }));
    await expectOk(admin.put(`${at}/comments/${id}`, { addedReactions: ['1f44d'] }));
    return [id, reply.id];
  };
  [ids.commentId = '', ids.commentReplyId = ''] = await comment(space);
  const request = `${space}/change-requests/${ids.changeRequestId}`;
  [ids.requestCommentId = '', ids.requestReplyId = ''] = await comment(request);
}

/** A webhook with a failed delivery, which can be sent again. */
async function buildWebhook({ runtime }: TestService, admin: Client, ids: Ids): Promise<void> {
  const webhooks = `/orgs/${ids.organizationId}/webhooks`;
  const webhook = await expectOk(
    admin.post(webhooks, { url: 'https://example.com/', types: ['space.deleted'] }),
  );
  ids.webhookId = webhook.id;
  ids.deliveryId = (await expectOk(admin.post(`${webhooks}/${webhook.id}/test`))).id;
  await runtime.database.db
    .updateTable('webhook_delivery')
    .set({ status: 'failed' })
    .where('id', '=', ids.deliveryId as string)
    .execute();
}

/** An OpenAPI spec with a version, from a URL that can be fetched again. */
async function buildSpec(service: TestService, admin: Client, ids: Ids, title: string): Promise<void> {
  const specs = `/orgs/${ids.organizationId}/openapi`;
  ids.specSlug = title.toLowerCase().replaceAll(' ', '-');
  const spec = await expectOk(admin.post(specs, { slug: ids.specSlug, source: { text: petstore(title) } }));
  await processSpecs(service);
  ids.versionId = (await expectOk(admin.get(`${specs}/${ids.specSlug}`))).lastVersion;
  await service.runtime.database.db
    .updateTable('openapi_spec')
    .set({ source_text: null, source_url: 'https://example.com/api.json' })
    .where('id', '=', spec.id)
    .execute();
}

/** A conversation with an issue in a cluster. */
async function buildConversation(
  service: TestService,
  admin: Client,
  ids: Ids,
  title: string,
): Promise<void> {
  const organization = `/orgs/${ids.organizationId}`;
  const parts = [{ type: 'message', role: 'user', body: `The invoices of ${title} cannot be exported.` }];
  await expectOk(admin.post(`${organization}/conversations`, { id: title, parts }));
  await processConversations(service);
  const { issue } = (await expectOk(admin.get(`${organization}/conversations-issues`))).items[0];
  ids.conversationId = issue.conversation;
  ids.issueId = issue.id;
  ids.clusterId = issue.cluster;
}

/** A translation with a result, and a term for it. */
async function buildTranslation(service: TestService, admin: Client, ids: Ids, title: string): Promise<void> {
  const path = `/orgs/${ids.organizationId}/translations`;
  const operations = [{ type: 'insert', translations: { en: title, de: `${title} AG` } }];
  await expectOk(admin.put(`${path}-glossary`, { operations }));
  ids.glossaryEntryId = (await expectOk(admin.get(`${path}-glossary`))).items[0].id;
  const source = { space: ids.siblingSpaceId, language: 'en' };
  ids.translationId = (await expectOk(admin.post(path, { source, language: 'de' }))).id;
  await runTranslations(service);
}

/** A published site with a custom structure and a share link, and a site that is not published. */
async function buildSite(admin: Client, ids: Ids): Promise<void> {
  const organization = `/orgs/${ids.organizationId}`;
  const newSpace = async (title: string): Promise<string> =>
    (await expectOk(admin.post(`${organization}/spaces`, { title }))).id;
  ids.unpublishedSiteId = (await expectOk(admin.post(`${organization}/sites`, { title: 'Plans' }))).id;
  const spaces = [await newSpace('Shown'), await newSpace('Second'), await newSpace('Third')];
  const { id } = await expectOk(admin.post(`${organization}/sites`, { title: 'Docs', spaces }));
  const site = `${organization}/sites/${id}`;
  const grant = { role: 'review', users: [ids.userId], teams: [ids.teamId] };
  await expectOk(admin.post(`${site}/permissions`, grant));
  await buildStructure(admin, ids, site, newSpace);
  await expectOk(admin.post(`${site}/publish`));
  const jsonSchema = {
    type: 'object',
    properties: { isBeta: { type: 'boolean' } },
    additionalProperties: false,
  };
  await expectOk(admin.put(`${site}/adaptive-schema`, { jsonSchema }));
  const page = { operation: 'insert_page', title: 'Shown' };
  const edit = await expectOk(admin.post(`/spaces/${spaces[0]}/content?compat=false`, { changes: [page] }));
  ids.sitePageId = edit.changes.pages[0].id;
  ids.siteId = id;
  ids.shareLinkId = (await expectOk(admin.post(`${site}/share-links`, { name: 'Partners' }))).id;
}

/** A section with three site spaces, a group with a section, and two more sections, so that there is room for moves. */
async function buildStructure(
  admin: Client,
  ids: Ids,
  site: string,
  newSpace: (title: string) => Promise<string>,
): Promise<void> {
  const section = async (title: string): Promise<string> =>
    (await expectOk(admin.post(`${site}/sections`, { spaceId: await newSpace(title) }))).id;
  ids.groupedSectionId = await section('Grouped');
  const sections = [ids.groupedSectionId];
  ids.siteSectionGroupId = (
    await expectOk(admin.post(`${site}/section-groups`, { title: 'Group', sections }))
  ).id;
  await section('Between');
  ids.siblingSectionId = await section('Sibling');
  const { structure } = await expectOk(admin.get(`${site}/structure`));
  ids.siteSectionId = structure[0].id;
  const [first, , third] = structure[0].siteSpaces;
  ids.siteSpaceId = first.id;
  ids.siblingSiteSpaceId = third.id;
  await expectOk(admin.patch(`${site}/site-spaces/${first.id}/customization`, { pdf: { enabled: false } }));
}

/** A redirect of the site, and a hostname and a subdomain of its organization, which all members may view. */
async function buildAddresses(admin: Client, ids: Ids): Promise<void> {
  const { organizationId, siteId, siteSpaceId } = ids;
  const organization = `/orgs/${organizationId}`;
  const destination = { kind: 'site-space', siteSpaceId };
  const redirects = `${organization}/sites/${siteId}/redirects`;
  ids.siteRedirectId = (await expectOk(admin.post(redirects, { source: '/old', destination }))).id;
  ids.subdomain = `acme-${randomBytes(8).toString('hex')}`;
  await expectOk(admin.patch(organization, { hostname: ids.subdomain }));
  ids.hostname = `docs.${ids.subdomain}.com`;
  await expectOk(admin.put(`${organization}/custom-hostnames/${ids.hostname}`));
}

/** An invite of each kind, an e-mail domain, and an identity provider. */
async function buildJoining({ runtime }: TestService, admin: Client, ids: Ids, owner: Person): Promise<void> {
  const organization = `/orgs/${ids.organizationId}`;
  ids.emailDomain = `${ids.subdomain}.example`;
  await runtime.database.db
    .updateTable('user')
    .set({ email: `owner@${ids.emailDomain}` })
    .where('id', '=', owner.id)
    .execute();
  await expectOk(admin.patch(organization, { emailDomains: [ids.emailDomain] }));
  const link = await expectOk(admin.post(`${organization}/link-invites`, { role: 'read', team: ids.teamId }));
  ids.inviteId = link.id;
  ids.inviteSecret = link.secret;
  ids.secret = link.secret;
  const content = { level: 'edit', space: ids.spaceId };
  ids.contentInviteId = (await expectOk(admin.post(`${organization}/link-invites`, content))).id;
  const emails = [`new@${ids.emailDomain}`];
  ids.emailInviteId = (await expectOk(admin.post(`${organization}/invites`, { emails }))).invites[0].id;
  const provider = { label: 'Login', defaultTeam: ids.teamId, defaultRole: 'read', ...IDENTITY_PROVIDER };
  ids.samlProviderId = (await expectOk(admin.post(`${organization}/saml`, provider))).id;
}

/** The owner's session, password, passkey and linked account, and the secrets of links in mails. */
async function buildSignIn(service: TestService, ids: Ids, owner: Person): Promise<void> {
  const { database, services } = service.runtime;
  const email = `owner@${ids.emailDomain}`;
  ids.email = email;
  ids.password = 'velvet anchor 42 sonnet';
  const tools = createCaller(toolContext(database, services));
  await tools.installation.users.setPassword({ user: owner.id, password: ids.password });
  ids.sessionId = (await openSessionFor(service, owner.id)).id;
  const lifetime = 3_600_000;
  ids.passwordSecret = (await issuePasswordLink(database.db, owner.id, { lifetime })).secret;
  ids.verificationSecret = (await issueVerificationLink(database.db, owner.id, email)).secret;
  const key = { credential: newId(), publicKey: 'AAAA', counter: 0, transports: [], isSynced: false };
  const passkey = await database.transaction((em) => addPasskey(em, owner.id, 'Laptop', key));
  ids.passkeyId = passkey.id;
  ids.identityId = newId();
  const [user_id, created_at] = [owner.id, new Date()];
  const account = { issuer: 'https://issuer.example', subject: ids.identityId, email };
  await database.db
    .insertInto('user_identity')
    .values({ id: ids.identityId, user_id, ...account, created_at, last_used_at: created_at })
    .execute();
}

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

type MetaNeed = NonNullable<Meta['need']>;

/** What an operation requires of the caller; undefined if a token is enough. */
export const needOf = ({ meta }: Operation): MetaNeed | undefined => meta.need;

/** The next weaker level; null for no access, undefined if there is no weaker one. */
export function nextWeakerLevel(level: MetaNeed['level'] | null): Role | null | undefined {
  if (level === 'member' || level === null) return undefined;
  return ROLES[ROLES.indexOf(level) + 1] ?? null;
}

/** Users by the object of their level and by level; null for no access. */
export type PeopleByLevel = (need: MetaNeed, level: MetaNeed['level'] | null) => Client;

/** Creates a user for each level that an operation requires, and for the next weaker one. */
export async function peopleByLevel(
  service: TestService,
  world: World,
  operations: readonly Operation[],
): Promise<PeopleByLevel> {
  const keyOf = (on: MetaNeed['on'], level: MetaNeed['level'] | null) => `${level} on ${on}`;
  const people = new Map<string, Client>();
  for (const operation of operations) {
    const need = needOf(operation);
    if (!need) continue;
    for (const level of [need.level, nextWeakerLevel(need.level) ?? null]) {
      const key = keyOf(need.on, level);
      if (!people.has(key)) people.set(key, await personWith(service, world, need, level));
    }
  }
  return ({ on }, level) => people.get(keyOf(on, level)) as Client;
}

/**
 * Creates a user with exactly this level on the object of an operation and on its parent: by a role in the organization, or
 * as a guest by a grant. In the other organization, they may create.
 */
async function personWith(
  service: TestService,
  { ids }: World,
  { on }: MetaNeed,
  level: MetaNeed['level'] | null,
): Promise<Client> {
  const organization = idOf(ids, 'organizationId');
  const role = level === 'member' ? null : level;
  const byGrant = on === 'space' || on === 'collection';
  const person = await service.build.member(organization, byGrant ? null : role);
  if (byGrant && role) {
    const collection = idOf(ids, 'outerCollectionId');
    await service.build.grant(organization, { user: person.id, collection, role });
  }
  await service.build.join(idOf(ids, 'destinationId'), person.id, 'create');
  return service.as(person.token);
}
