import { randomBytes } from 'node:crypto';
import { issuePasswordLink, issueVerificationLink } from '../../routers/auth/links.operation.ts';
import { addPasskey } from '../../routers/auth/passkeys.operation.ts';
import { createCaller } from '../../routers/index.ts';
import { newId } from '../../schema/ids.ts';
import { toolContext } from '../../server/context.ts';
import { openSessionFor } from '../auth/browser.ts';
import { toolActorOf } from '../helpers/actor.ts';
import type { Person } from '../helpers/builders.ts';
import { processConversations } from '../helpers/conversations.ts';
import { IDENTITY_PROVIDER } from '../helpers/identity-provider.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';
import { runTranslations } from '../helpers/translations.ts';
import type { Ids } from './inputs.ts';
import { buildContent, sharedParagraph } from './world-content.ts';

/** An organization with one of each object that an operation can refer to. */
export interface World {
  admin: Client;
  /** The admin, who is also an admin of the organization `destinationId`. */
  owner: Person;
  /** The ids by the name of their path parameter, and by the kinds in `inputs.ts`. */
  ids: Ids;
}

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
  const passkey = await database.transaction((em) => addPasskey(em, toolActorOf(owner.id), 'Laptop', key));
  ids.passkeyId = passkey.id;
  ids.identityId = newId();
  const [user_id, created_at] = [owner.id, new Date()];
  const account = { issuer: 'https://issuer.example', subject: ids.identityId, email };
  await database.db
    .insertInto('user_identity')
    .values({ id: ids.identityId, user_id, ...account, created_at, last_used_at: created_at })
    .execute();
}
