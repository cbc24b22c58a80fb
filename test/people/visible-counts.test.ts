import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('the numbers of spaces and sites of members and teams count only those that the caller may view', async () => {
  const { id, admin: owner } = await service.build.organization();
  const adminId = owner.id;
  const admin = service.as(owner.token);
  const closed = await service.build.collection(id, { defaultLevel: null });
  const secret = await service.build.space(id, { parent: closed.id });
  await service.build.space(id);
  await service.build.site(id, { defaultLevel: null });
  await service.build.site(id);
  const reader = await service.build.member(id, 'read');
  const team = await service.build.team(id, { members: [reader.id, adminId] });
  await service.build.grant(id, { team: (await service.build.team(id)).id, space: secret.id, role: 'edit' });
  const counts = async (client: Client) => {
    const { body: members } = await client.get(`/orgs/${id}/members`);
    const { body: teams } = await client.get(`/orgs/${id}/teams`);
    const { body: ofTeam } = await client.get(`/orgs/${id}/teams/${team.id}/members`);
    const { body: one } = await client.get(`/orgs/${id}/members/${adminId}`);
    const of = ({ items }: { items: { id: string; spaces: number; sites: number }[] }) => {
      const member = items.find((item) => item.id === adminId);
      return [member?.spaces, member?.sites];
    };
    return {
      listed: of(members),
      inTeam: of({ items: ofTeam.items.map((item: { organization: object }) => item.organization) }),
      one: [one.spaces, one.sites],
      teams: teams.items.map(({ spaces }: { spaces: number }) => spaces).sort(),
    };
  };
  const all = await counts(admin);
  const [spaces = 0, sites = 0] = all.one;
  expect(all).toEqual({ listed: all.one, inTeam: all.one, one: all.one, teams: [0, 1] });
  const seen = [spaces - 1, sites - 1];
  const some = { listed: seen, inTeam: seen, one: seen, teams: [0, 0] };
  expect(await counts(service.as(reader.token))).toEqual(some);
  // What the caller is given besides is counted as well.
  await service.build.grant(id, { user: reader.id, collection: closed.id, role: 'read' });
  expect(await counts(service.as(reader.token))).toEqual({
    listed: [spaces, sites - 1],
    inTeam: [spaces, sites - 1],
    one: [spaces, sites - 1],
    teams: [0, 1],
  });
});
