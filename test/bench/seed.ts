import { sql } from 'kysely';
import { saveEmptyRoot } from '../../routers/branches/revisions.operation.ts';
import { positionsBetween } from '../../routers/engine/ordering.ts';
import { createOrganization } from '../../routers/organizations/organizations.operation.ts';
import { issueToken } from '../../routers/people/tokens.operation.ts';
import { createSpace } from '../../routers/spaces/spaces.operation.ts';
import { Member } from '../../schema/entities/member.ts';
import { Permission } from '../../schema/entities/permission.ts';
import { User } from '../../schema/entities/user.ts';
import { ROLES } from '../../schema/enums.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';

export interface Seed {
  token: string;
  user: string;
  organization: string;
  spaces: string[];
}

/** Creates an organization with some spaces at its root, and an admin with a token. */
export async function seedSpaces(database: DatabaseHandle, spaces: number): Promise<Seed> {
  const positions = positionsBetween(null, null, spaces) as string[];
  const seed = await database.transaction(async (em) => {
    const user = em.create(User, { displayName: 'Bench', email: `bench-${spaces}@example.com` });
    const organization = createOrganization(em, 'Bench', user.id);
    const { secret } = issueToken(em, { user: user.id, name: 'bench', scope: 'write' });
    await em.flush();
    return { token: secret, user: user.id, organization: organization.id, spaces: [] as string[] };
  });
  const BATCH = 500;
  for (let start = 0; start < spaces; start += BATCH) {
    await database.transaction(async (em) => {
      const root = await saveEmptyRoot(em);
      for (const [i, position] of positions.slice(start, start + BATCH).entries()) {
        const { id } = createSpace(em, {
          organization: seed.organization,
          parent: null,
          position,
          title: `Space ${start + i}`,
          author: seed.user,
          root,
        });
        seed.spaces.push(id);
      }
      await em.flush();
    });
  }
  return seed;
}

const ROLE_OF_MEMBER = [...ROLES, null];

/**
 * Adds members with all roles, who may all view all spaces: guests through permissions on each space, which some of the
 * others have as well.
 * @returns their tokens
 */
export async function seedMembers(
  database: DatabaseHandle,
  { organization }: Seed,
  spaces: string[],
  count: number,
): Promise<string[]> {
  return database.transaction(async (em) => {
    const tokens: string[] = [];
    for (let i = 0; i < count; i++) {
      const user = em.create(User, { displayName: `Member ${i}`, email: `bench-member-${i}@example.com` });
      const role = ROLE_OF_MEMBER[i % ROLE_OF_MEMBER.length] ?? null;
      em.create(Member, { organization, user: user.id, role });
      const granted = role === null ? spaces : spaces.filter((_, at) => at % count === i);
      for (const space of granted)
        em.create(Permission, { organization, user: user.id, space, role: 'read' });
      tokens.push(issueToken(em, { user: user.id, name: 'bench', scope: 'write' }).secret);
    }
    await em.flush();
    return tokens;
  });
}

/** Updates the planner's statistics, as the database does by itself after enough changes. */
export const analyze = ({ db }: DatabaseHandle) => sql`analyze`.execute(db);
