import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWorld, type World } from '../contract/world.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { PACKAGES, type Published } from './packages.ts';

describe.for(PACKAGES)('the published client $version, unmodified,', ({ GitBookAPI, GitBookAPIError }) => {
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

  test('gets the caller and their organizations', async () => {
    const { data: me } = await api.user.getAuthenticatedUser();
    expect(me.object).toBe('user');
    const { data: organizations } = await api.orgs.listOrganizationsForAuthenticatedUser();
    expect(organizations.items).toMatchObject([{ title: 'Acme abroad' }, { title: 'Acme' }]);
  });

  test('updates an organization and lists its people', async () => {
    const { organizationId = '' } = world.ids;
    const { data } = await api.orgs.updateOrganizationById(organizationId, { title: 'Acme Inc' });
    expect(data.title).toBe('Acme Inc');
    const { data: members } = await api.orgs.listMembersInOrganizationById(organizationId, { limit: 1 });
    expect(members).toMatchObject({ count: 2, next: { page: expect.any(String) } });
    const { data: rest } = await api.orgs.listMembersInOrganizationById(organizationId, members.next);
    expect(rest.items).toHaveLength(1);
    expect(rest.next).toBeUndefined();
  });

  test('reads a space and its pages, and proposes a change', async () => {
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
    expect(resolved).toMatchObject({ body, status: 'resolved', replies: 1, reactions: [{ emoji: '1f44d' }] });
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

  test('deletes what it created, and gets 204 the second time', async () => {
    const { organizationId = '' } = world.ids;
    const { data: team } = await api.orgs.createOrganizationTeam(organizationId, { title: 'Short-lived' });
    expect((await api.orgs.removeTeamFromOrganizationById(organizationId, team.id)).status).toBe(205);
    expect((await api.orgs.removeTeamFromOrganizationById(organizationId, team.id)).status).toBe(204);
  });

  test('understands errors', async () => {
    const missing = await api.orgs.getOrganizationById('nothing').catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(GitBookAPIError);
    expect(missing).toMatchObject({ code: 404, errorMessage: 'There is no such organization.' });
    const stranger = new GitBookAPI({ authToken: 'unknown', endpoint });
    await expect(stranger.user.getAuthenticatedUser()).rejects.toMatchObject({ code: 401 });
  });
});
