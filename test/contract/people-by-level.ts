import type { Meta } from '../../routers/base/trpc.ts';
import { ROLES, type Role } from '../../schema/enums.ts';
import type { Client, TestService } from '../helpers/service.ts';
import { idOf } from './inputs.ts';
import type { Operation } from './operations.ts';
import type { World } from './world.ts';

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
