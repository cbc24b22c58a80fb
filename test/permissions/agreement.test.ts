import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { effectiveLevel } from '../../routers/access/levels.ts';
import { COLLECTION_NEEDS, permissionsOf, SPACE_NEEDS } from '../../routers/access/needs.ts';
import { DEFAULT_LEVELS, type DefaultLevel, ROLES, type Role } from '../../schema/enums.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const role = fc.constantFrom(...ROLES);
const index = fc.nat({ max: 100 });

const often = <Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: other });

/** One organization. References are indexes, modulo the number of objects. */
const setups = fc.record({
  people: fc.array(
    fc.record({
      // Admins can access everything anyway, so a few are enough.
      role: fc.option(often(fc.constantFrom(...ROLES.slice(1)), role), { freq: 3 }),
      disabled: often(fc.constant(false), fc.constant(true)),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  teams: fc.array(fc.array(index, { maxLength: 4 }), { maxLength: 3 }),
  contents: fc.array(
    fc.record({
      kind: fc.constantFrom<TestContent['kind'][]>('collection', 'collection', 'space'),
      parent: fc.option(index, { freq: 4 }),
      defaultLevel: fc.option(
        fc.oneof(fc.constant<DefaultLevel>('inherit'), fc.constantFrom(...DEFAULT_LEVELS)),
        { freq: 2 },
      ),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  grants: fc.array(fc.record({ to: fc.constantFrom('user', 'team'), whom: index, on: index, role }), {
    maxLength: 12,
  }),
});
type Setup = typeof setups extends fc.Arbitrary<infer Value> ? Value : never;

interface TestContent {
  kind: 'collection' | 'space';
  id: string;
  parent: TestContent | undefined;
  defaultLevel: DefaultLevel | null;
}

type Grant = ({ user: string } | { team: string }) & {
  content: TestContent;
  role: Role;
  /** The ids of the users. */
  reaches: string[];
};

const at = <Item>(items: readonly Item[], place: number): Item | undefined => items[place % items.length];

/** A space or collection and all collections above it, nearest first. */
const lineOf = (content: TestContent): TestContent[] => [
  content,
  ...(content.parent ? lineOf(content.parent) : []),
];

/** Creates the organization of a setup. Its admin is the first user. */
async function build(setup: Setup) {
  const { id: organization, admin } = await service.build.organization();
  const others = setup.people.map(async ({ role, disabled }) => ({
    ...(await service.build.member(organization, role, { disabled })),
    role,
    disabled,
  }));
  const people = [
    { ...admin, role: 'admin' as Role | null, disabled: false },
    ...(await Promise.all(others)),
  ];
  const teams = await Promise.all(
    setup.teams.map(async (places) => {
      const members = [...new Set(places.map((place) => at(people, place)?.id as string))];
      return { ...(await service.build.team(organization, { members })), members };
    }),
  );

  const contents: TestContent[] = [];
  for (const { kind, parent: place, defaultLevel } of setup.contents) {
    const collections = contents.filter((content) => content.kind === 'collection');
    const parent = place === null ? undefined : at(collections, place);
    const { id } = await service.build[kind](organization, {
      defaultLevel,
      ...(parent && { parent: parent.id }),
    });
    contents.push({ kind, id, parent, defaultLevel });
  }

  const grants = new Map<string, Grant>();
  for (const { to, whom, on, role } of setup.grants) {
    const content = at(contents, on) as TestContent;
    const team = to === 'team' ? at(teams, whom) : undefined;
    const user = at(people, whom)?.id as string;
    const grantee = team ? { team: team.id } : { user };
    const key = `${team?.id ?? user} on ${content.id}`;
    grants.set(key, { ...grantee, content, role, reaches: team?.members ?? [user] });
  }
  await Promise.all(
    [...grants.values()].map(({ content, reaches: _, ...given }) => {
      const place = content.kind === 'space' ? { space: content.id } : { collection: content.id };
      return service.build.grant(organization, { ...given, ...place });
    }),
  );
  return { people, contents, grants: [...grants.values()] };
}

/** The whole aggregate list, read in small pages. */
async function accessListed(as: Client, address: string): Promise<Map<string, Role>> {
  const levels = new Map<string, Role>();
  let next = '';
  do {
    const { status, body } = await as.get(`${address}/permissions/aggregate?limit=2${next}`);
    expect(status).toBe(200);
    for (const { user, permission } of body.items) {
      expect(levels.has(user.id)).toBe(false);
      levels.set(user.id, permission);
    }
    next = body.next ? `&page=${body.next.page}` : '';
    if (!body.next) expect(levels.size).toBe(body.count);
  } while (next);
  return levels;
}

test('the list of those with access, what each of them sees, and the rule agree for all content', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(setups, async (setup) => {
      const { people, contents, grants } = await build(setup);
      for (const content of contents) {
        const line = lineOf(content);
        const nearest = line.find((one) => one.defaultLevel !== 'inherit');
        const effectiveDefault = nearest ? nearest.defaultLevel : 'inherit';
        const address = `/${content.kind}s/${content.id}`;
        const listed = await accessListed(service.as(people[0]?.token), address);
        expect(people.map((person) => person.id)).toEqual(expect.arrayContaining([...listed.keys()]));

        await Promise.all(
          people.map(async (person) => {
            const reaching = grants.filter(
              (grant) => grant.reaches.includes(person.id) && line.includes(grant.content),
            );
            const roles = reaching.map((grant) => grant.role);
            const expected = effectiveLevel(person.disabled ? null : person, { effectiveDefault }, roles);
            seen.add(`${content.kind} ${expected}`);
            expect(listed.get(person.id) ?? null).toBe(expected);
            const own = await service.as(person.token).get(address);
            expect(own.status).toBe(expected ? 200 : 404);
            const needs = content.kind === 'space' ? SPACE_NEEDS : COLLECTION_NEEDS;
            if (expected)
              expect(own.body.permissions).toEqual(
                permissionsOf(needs, { level: expected, scope: 'write', role: person.role }),
              );
          }),
        );
      }
    }),
    { numRuns: 15 },
  );
  // The setups are random, but cover enough cases to be meaningful.
  expect(seen.size).toBeGreaterThan(8);
}, 120_000);
