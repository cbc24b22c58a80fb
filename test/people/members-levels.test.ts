import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { effectiveLevel } from '../../routers/access/levels.ts';
import { DEFAULT_LEVELS, type DefaultLevel, ROLES, type Role } from '../../schema/enums.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const role = fc.constantFrom(...ROLES);
const defaultLevel = fc.constantFrom<(DefaultLevel | null)[]>(
  null,
  null,
  'inherit',
  'inherit',
  ...DEFAULT_LEVELS,
);
const index = fc.nat({ max: 999 });

/** A small organization; indexes wrap around, and an odd parent index means the root. */
const setup = fc.record({
  collections: fc.array(fc.record({ parent: index, defaultLevel }), { minLength: 1, maxLength: 4 }),
  spaces: fc.array(fc.record({ parent: index, defaultLevel, deleted: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  }),
  members: fc.array(fc.record({ role: fc.option(role), disabled: fc.constantFrom(false, false, true) }), {
    minLength: 1,
    maxLength: 4,
  }),
  teams: fc.array(fc.array(index, { maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  grants: fc.array(fc.record({ toTeam: fc.boolean(), onSpace: fc.boolean(), to: index, on: index, role }), {
    maxLength: 8,
  }),
});

const pick = <Item>(items: Item[], at: number) => items[at % items.length] as Item;

test('the spaces of a member, and their number, are those on which they have a level', async () => {
  await fc.assert(
    fc.asyncProperty(setup, async (given) => {
      const { id, admin } = await service.build.organization();
      const parentAt = (parents: string[], at: number) =>
        at % 2 === 1 || parents.length === 0 ? undefined : pick(parents, at);
      const collections: string[] = [];
      for (const { parent, ...rest } of given.collections)
        collections.push(
          (await service.build.collection(id, { parent: parentAt(collections, parent), ...rest })).id,
        );
      const spaces: string[] = [];
      for (const { parent, deleted, ...rest } of given.spaces) {
        const deletedAt = deleted ? new Date() : undefined;
        spaces.push(
          (await service.build.space(id, { parent: parentAt(collections, parent), deletedAt, ...rest })).id,
        );
      }
      const members: { id: string; role: Role | null; disabled: boolean }[] = [];
      for (const { role, disabled } of given.members)
        members.push({ id: (await service.build.member(id, role, { disabled })).id, role, disabled });
      const teams: { id: string; members: string[] }[] = [];
      for (const places of given.teams) {
        const inTeam = [...new Set(places.map((at) => pick(members, at).id))];
        teams.push({ id: (await service.build.team(id, { members: inTeam })).id, members: inTeam });
      }
      const grants = new Map<string, { users: string[]; content: string; role: Role }>();
      for (const { toTeam, onSpace, to, on, role } of given.grants) {
        const team = pick(teams, to);
        const user = pick(members, to).id;
        const content = pick(onSpace ? spaces : collections, on);
        const key = `${toTeam ? team.id : user} ${content}`;
        if (grants.has(key)) continue;
        grants.set(key, { users: toTeam ? team.members : [user], content, role });
        await service.build.grant(id, {
          ...(toTeam ? { team: team.id } : { user }),
          ...(onSpace ? { space: content } : { collection: content }),
          role,
        });
      }

      const rows = await service.runtime.database.db
        .selectFrom('space')
        .select(['id', 'ancestors', 'effective_default as effectiveDefault'])
        .where('organization_id', '=', id)
        .where('deleted_at', 'is', null)
        .execute();
      const client = service.as(admin.token);
      const listed = new Map<string, number>(
        (await client.get(`/orgs/${id}/members`)).body.items.map((item: { id: string; spaces: number }) => [
          item.id,
          item.spaces,
        ]),
      );
      for (const member of members) {
        const expected = rows.flatMap((space) => {
          const above = [space.id, ...space.ancestors];
          const roles = [...grants.values()]
            .filter(({ users, content }) => users.includes(member.id) && above.includes(content))
            .map((grant) => grant.role);
          const level = effectiveLevel(member.disabled ? null : member, space, roles);
          return level ? [[space.id, level] as const] : [];
        });
        const { body } = await client.get(`/orgs/${id}/members/${member.id}/spaces`);
        const actual = body.items.map((item: { permission: Role; space: { id: string } }) => [
          item.space.id,
          item.permission,
        ]);
        expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
        expect(body.count).toBe(expected.length);
        expect(listed.get(member.id)).toBe(expected.length);
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);
