import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { differences } from '../contract/differences.ts';
import { buildWorld, type World } from '../contract/world.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { PACKAGES, type Published } from './packages.ts';

describe.for(PACKAGES)(
  'the published client $version, unmodified,',
  ({ client, GitBookAPI, GitBookAPIError }) => {
    let service: TestService;
    let world: World;
    let api: Published;
    let endpoint: string;
    beforeAll(async () => {
      service = await startTestService();
      world = await buildWorld(service);
      endpoint = await service.app.listen({ port: 0, host: '127.0.0.1' });
      api = new GitBookAPI({ authToken: world.owner.token, endpoint });
    });
    afterAll(() => service.close());

    test('the published client gets the caller and their organizations', async () => {
      const { data: me } = await api.user.getAuthenticatedUser();
      expect(me.object).toBe('user');
      const { data: organizations } = await api.orgs.listOrganizationsForAuthenticatedUser();
      expect(organizations.items).toMatchObject([{ title: 'Acme abroad' }, { title: 'Acme' }]);
    });

    test('the published client updates an organization and lists its people', async () => {
      const { organizationId = '' } = world.ids;
      const { data } = await api.orgs.updateOrganizationById(organizationId, { title: 'Acme Inc' });
      expect(data.title).toBe('Acme Inc');
      const { data: members } = await api.orgs.listMembersInOrganizationById(organizationId, { limit: 1 });
      expect(members).toMatchObject({ count: 2, next: { page: expect.any(String) } });
      const { data: rest } = await api.orgs.listMembersInOrganizationById(organizationId, members.next);
      expect(rest.items).toHaveLength(1);
      expect(rest.next).toBeUndefined();
    });

    test('the published client reads a space and its pages, and proposes a change', async () => {
      const { spaceId = '', pageId = '' } = world.ids;
      const { data: space } = await api.spaces.getSpaceById(spaceId);
      expect(space.title).toBe('Handbook');
      const { data: page } = await api.spaces.getPageById(spaceId, pageId, { format: 'markdown' });
      expect(page).toMatchObject({ title: 'Start Acme', markdown: expect.stringContaining('**bold**') });
      const { data: request } = await api.spaces.createChangeRequest(spaceId, { subject: 'By the client' });
      const { data: merged } = await api.spaces.mergeChangeRequest(spaceId, request.id, {});
      expect(merged.result).toBe('merge');
    });

    test('discusses a space and a change request', async () => {
      const { spaceId = '', pageId = '', changeRequestId = '' } = world.ids;
      const body = { markdown: 'Is this **right**?' };
      const { data: comment } = await api.spaces.postCommentInSpace(spaceId, { page: pageId, body });
      await api.spaces.postCommentReplyInSpace(spaceId, comment.id, { body: { markdown: 'Yes.' } });
      const changes = { resolved: true, addedReactions: ['1f44d'] };
      const { data: resolved } = await api.spaces.updateCommentInSpace(spaceId, comment.id, changes);
      expect(resolved).toMatchObject({
        body,
        status: 'resolved',
        replies: 1,
        reactions: [{ emoji: '1f44d' }],
      });
      const filter = { status: 'resolved', authors: [world.owner.id], format: 'document' };
      const { data: list } = await api.spaces.listCommentsInSpace(spaceId, filter);
      expect(list).toMatchObject({ count: 1, items: [{ id: comment.id, body: { document: {} } }] });
      expect((await api.spaces.deleteCommentInSpace(spaceId, comment.id)).status).toBe(205);
      expect((await api.spaces.deleteCommentInSpace(spaceId, comment.id)).status).toBe(204);
      const at = [spaceId, changeRequestId];
      const { data: proposed } = await api.spaces.postCommentInChangeRequest(...at, { body });
      const { data: reply } = await api.spaces.postCommentReplyInChangeRequest(
        ...[...at, proposed.id],
        { body },
        { format: 'document' },
      );
      expect(reply.body.document.object).toBe('document');
      const { data: replies } = await api.spaces.listCommentRepliesInChangeRequest(...at, proposed.id);
      expect(replies.items).toMatchObject([{ id: reply.id, body }]);
      const { data: commenters } = await api.spaces.listCommentersInChangeRequest(...at);
      expect(commenters.items).toMatchObject([{ object: 'member', id: world.owner.id }]);
    });

    test('invites people, lets them join, assigns them to teams and removes them, with valid responses', async () => {
      const { organizationId = '' } = world.ids;
      const at = '/orgs/{organizationId}';
      /** The data of a response, which must match what the client declares. */
      const valid = async (operation: string, answer: Promise<{ status: number; data: never }>) => {
        const [method = '', path = ''] = operation.split(' ');
        const { status, data: body } = await answer;
        expect(differences({ method, path }, { status, body }, client), operation).toEqual([]);
        return body as Published;
      };
      const { orgs } = api;

      const newcomer = await service.build.user();
      const { token: theirs } = newcomer;
      const other: Published = new GitBookAPI({ authToken: theirs, endpoint });
      const team = await valid(
        `PUT ${at}/teams`,
        orgs.createOrganizationTeam(organizationId, { title: `Writers ${client.version}` }),
      );
      const link = await valid(
        `POST ${at}/link-invites`,
        orgs.createOrganizationInvite(organizationId, { role: 'edit' }),
      );
      const path = `${at}/link-invites/{inviteId}`;
      await valid(`GET ${path}`, orgs.getOrganizationInviteLink(organizationId, link.id));
      const terms = { role: 'review' };
      await valid(`PATCH ${path}`, orgs.updateOrganizationInviteById(organizationId, link.id, terms));
      await valid(`GET ${at}/link-invites`, orgs.listOrganizationInviteLinks(organizationId));
      await valid(
        `POST ${at}/invites/{inviteId}`,
        other.orgs.joinOrganizationWithInvite(organizationId, link.secret),
      );
      expect((await orgs.deleteOrganizationInviteById(organizationId, link.id)).status).toBe(205);

      const member = `${at}/members/{userId}`;
      const joined = await valid(
        `GET ${member}`,
        orgs.getMemberInOrganizationById(organizationId, newcomer.id),
      );
      expect(joined.role).toBe('review');
      await valid(
        `PATCH ${member}`,
        orgs.updateMemberInOrganizationById(organizationId, newcomer.id, { role: 'create' }),
      );
      await valid(
        `GET ${at}/members`,
        orgs.listMembersInOrganizationById(organizationId, { role: 'create' }),
      );
      const place = [organizationId, team.id, newcomer.id];
      await valid(
        `PUT ${at}/teams/{teamId}/members/{userId}`,
        orgs.addMemberToOrganizationTeamById(...place, { role: 'member' }),
      );
      const inTeam = await valid(
        `GET ${at}/teams/{teamId}/members`,
        orgs.listTeamMembersInOrganizationById(organizationId, team.id),
      );
      expect(inTeam.items).toMatchObject([{ organization: { user: { id: newcomer.id } } }]);
      await valid(`GET ${member}/teams`, orgs.listTeamsForOrganizationMember(organizationId, newcomer.id));
      await valid(`GET ${member}/spaces`, orgs.listSpacesForOrganizationMember(organizationId, newcomer.id));
      await valid(`POST ${at}/ping`, other.orgs.updateOrganizationMemberLastSeenAt(organizationId));

      const emails = [`guest-${client.version}@example.org`];
      const invited = await valid(
        `POST ${at}/invites`,
        orgs.inviteUsersToOrganization(organizationId, { emails, role: 'read' }),
      );
      expect(invited.invited).toBe(1);
      await valid(`GET ${at}/saml`, orgs.listSamlProvidersInOrganizationById(organizationId));
      await valid(`GET ${at}/sso`, orgs.listSsoProviderLoginsInOrganization(organizationId));

      expect((await orgs.deleteMemberFromOrganizationTeamById(...place)).status).toBe(205);
      expect((await orgs.removeMemberFromOrganizationById(organizationId, newcomer.id)).status).toBe(205);
      expect((await orgs.removeMemberFromOrganizationById(organizationId, newcomer.id)).status).toBe(204);
      const gone = await other.orgs.getOrganizationById(organizationId).catch((error: unknown) => error);
      expect(gone).toMatchObject({ code: 404 });
    });

    test('the published client deletes what it created, and gets 204 the second time', async () => {
      const { organizationId = '' } = world.ids;
      const { data: team } = await api.orgs.createOrganizationTeam(organizationId, { title: 'Short-lived' });
      expect((await api.orgs.removeTeamFromOrganizationById(organizationId, team.id)).status).toBe(205);
      expect((await api.orgs.removeTeamFromOrganizationById(organizationId, team.id)).status).toBe(204);
    });

    test('the published client understands errors', async () => {
      const missing = await api.orgs.getOrganizationById('nothing').catch((error: unknown) => error);
      expect(missing).toBeInstanceOf(GitBookAPIError);
      expect(missing).toMatchObject({ code: 404, errorMessage: 'There is no such organization.' });
      const stranger = new GitBookAPI({ authToken: 'unknown', endpoint });
      await expect(stranger.user.getAuthenticatedUser()).rejects.toMatchObject({ code: 401 });
    });
  },
);
