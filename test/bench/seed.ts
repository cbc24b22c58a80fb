import { saveEmptyRoot } from '../../routers/branches/revisions.operation.ts';
import { positionsBetween } from '../../routers/engine/ordering.ts';
import { createOrganization } from '../../routers/organizations/organizations.operation.ts';
import { issueToken } from '../../routers/people/tokens.operation.ts';
import { createSpace } from '../../routers/spaces/spaces.operation.ts';
import { User } from '../../schema/entities/user.ts';
import type { DatabaseHandle } from '../../server/database.ts';

export interface Seed {
  token: string;
  user: string;
  organization: string;
  /** One of the spaces. */
  space: string;
}

/** Makes an organization with some spaces at its root, and an admin with a token. */
export async function seedSpaces(database: DatabaseHandle, spaces: number): Promise<Seed> {
  const positions = positionsBetween(null, null, spaces) as string[];
  const seed = await database.transaction(async (em) => {
    const user = em.create(User, { displayName: 'Bench', email: `bench-${spaces}@example.com` });
    const organization = createOrganization(em, 'Bench', user.id);
    const { secret } = issueToken(em, { user: user.id, name: 'bench', scope: 'write' });
    await em.flush();
    return { token: secret, user: user.id, organization: organization.id, space: '' };
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
        seed.space ||= id;
      }
      await em.flush();
    });
  }
  return seed;
}
