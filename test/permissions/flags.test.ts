import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES } from '../../schema/enums.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const CALLERS = [...ROLES, null, 'owner of the team', 'admin of the content'] as const;
type Flags = Record<string, boolean>;
type Act = (as: Client) => Promise<{ status: number }>;

/** Objects with permission flags, and for each flag a request that needs the permission. */
async function build() {
  const { id: organization } = await service.build.organization();
  const collection = await service.build.collection(organization);
  const space = await service.build.space(organization, { parent: collection.id });
  const author = await service.build.member(organization, 'admin');
  const colleague = await service.build.member(organization, 'read');
  const request = await service.build.changeRequest(space.id, { createdBy: author.id, status: 'open' });
  const merged = await service.build.changeRequest(space.id, { createdBy: author.id, status: 'archived' });
  const owner = await service.build.member(organization, 'read');
  const team = await service.build.team(organization, { owners: [owner.id], members: [colleague.id] });
  const at = {
    organization: `/orgs/${organization}`,
    collection: `/collections/${collection.id}`,
    space: `/spaces/${space.id}`,
    team: `/orgs/${organization}/teams/${team.id}`,
  };
  const acts: Record<keyof typeof at, Record<string, Act>> = {
    organization: {
      view: (as) => as.get(at.organization),
      admin: (as) => as.patch(at.organization, {}),
      ownTeam: (as) => as.put(`${at.organization}/teams`, { title: 'Another' }),
      createContent: (as) => as.post(`${at.organization}/spaces`, {}),
      listMembers: (as) => as.get(`${at.organization}/members`),
      listTeams: (as) => as.get(`${at.organization}/teams`),
    },
    collection: {
      view: (as) => as.get(`${at.collection}/spaces`),
      admin: (as) => as.patch(at.collection, {}),
      create: (as) => as.post(`${at.organization}/spaces`, { parent: collection.id }),
    },
    space: {
      view: (as) => as.get(at.space),
      access: (as) => as.get(`${at.space}/content`),
      admin: (as) => as.patch(at.space, {}),
      edit: (as) => as.post(`${at.space}/change-requests`),
      review: (as) => as.post(`${at.space}/change-requests/${request.id}/reviews`, { status: 'approved' }),
      merge: (as) => as.post(`${at.space}/change-requests/${merged.id}/merge`),
    },
    team: {
      view: (as) => as.get(`${at.team}/members`),
      admin: (as) => as.patch(at.team, { title: 'Team' }),
    },
  };
  for (const content of [acts.collection, acts.space])
    content.viewInviteLinks = (as) => as.get(`${at.organization}/link-invites`);
  const person = async (caller: (typeof CALLERS)[number]) => {
    if (caller === 'owner of the team') return owner;
    const role = caller === 'admin of the content' ? 'read' : caller;
    const made = await service.build.member(organization, role);
    if (caller === null || caller === 'admin of the content')
      await service.build.grant(organization, { user: made.id, collection: collection.id, role: 'admin' });
    return made;
  };
  return { at, acts, person };
}

test.for(CALLERS)('a false flag is a 403 and a true one none, whatever the token: %s', async (role) => {
  const { at, acts, person } = await build();
  const { token } = await person(role);
  const reading = (await service.as(token).post('/user/tokens', { scope: 'read' })).body.token;
  for (const as of [service.as(reading), service.as(token)]) {
    for (const [what, path] of Object.entries(at)) {
      const { status, body } = await as.get(path);
      if (status === 404) continue;
      const flags: Flags = body.permissions;
      for (const [flag, act] of Object.entries(acts[what as keyof typeof acts])) {
        const { status } = await act(as);
        expect(status === 403, `${what}.${flag} is ${flags[flag]}, answered ${status}`).toBe(!flags[flag]);
      }
    }
  }
});

test('only admins create teams, as the flag `ownTeam` says', async () => {
  const { at, acts, person } = await build();
  for (const [role, mayOwn] of [
    ['admin', true],
    ['create', false],
  ] as const) {
    const as = service.as((await person(role)).token);
    expect((await as.get(at.organization)).body.permissions.ownTeam).toBe(mayOwn);
    expect((await acts.organization.ownTeam?.(as))?.status).toBe(mayOwn ? 201 : 403);
  }
});

test('with a read-only token, no permission flag for a change is true', async () => {
  const { at, person } = await build();
  const { token } = await person('admin');
  const { body } = await service.as(token).post('/user/tokens', { scope: 'read' });
  const as = service.as(body.token);
  const shown = new Set<string>();
  /** The flags of a response and of everything in it. */
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { permissions, ...rest } = value as { permissions?: Flags };
    for (const [flag, isSet] of Object.entries(permissions ?? {})) if (isSet) shown.add(flag);
    for (const inner of Object.values(rest)) look(inner);
  };
  const lists = ['/spaces', '/collections', '/teams', '/change-requests'];
  for (const path of [...Object.values(at), '/orgs', ...lists.map((list) => at.organization + list)])
    look((await as.get(path)).body);
  for (const below of ['/permissions/teams', '/permissions/aggregate', '/links', '/change-requests'])
    look((await as.get(at.space + below)).body);
  look((await as.get(`${at.team}/members`)).body);
  look((await as.get(`${at.collection}/spaces`)).body);
  const reads = /^(view|access|list)/;
  expect([...shown].filter((flag) => !reads.test(flag))).toEqual([]);
  expect(shown.size).toBeGreaterThan(5);
});
