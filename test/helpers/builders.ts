import { issueToken } from '../../routers/organizations/tokens.operation.ts';
import { Member } from '../../schema/entities/member.ts';
import { Organization } from '../../schema/entities/organization.ts';
import { User } from '../../schema/entities/user.ts';
import type { Role, TokenScope } from '../../schema/enums.ts';
import type { DatabaseHandle } from '../../server/database.ts';

/** A user with a token of theirs. */
export interface Person {
  id: string;
  token: string;
}

export interface Builders {
  user(given?: {
    displayName?: string;
    email?: string;
    scope?: TokenScope;
    expiresAt?: string;
  }): Promise<Person>;
  /** An organization with an admin of its own. */
  organization(given?: { title?: string }): Promise<{ id: string; admin: Person }>;
  /** A user who is a member; a null role makes a guest. */
  member(organizationId: string, role: Role | null): Promise<Person>;
}

let serial = 0;

/** Builders state what matters to a test and fill in the rest. */
export function createBuilders(database: DatabaseHandle): Builders {
  const build: Builders = {
    user: ({ displayName, email, scope = 'write', expiresAt } = {}) =>
      database.transaction(async (em) => {
        const number = ++serial;
        const user = em.create(User, {
          displayName: displayName ?? `Person ${number}`,
          email: email ?? `person${number}@example.com`,
          emailVerifiedAt: new Date(),
        });
        const { secret } = issueToken(em, { user: user.id, name: 'test', scope });
        if (expiresAt) issueToken(em, { user: user.id, name: 'expiring', scope, expiresAt });
        await em.flush();
        return { id: user.id, token: secret };
      }),

    async organization({ title = 'Organization' } = {}) {
      const id = await database.transaction(async (em) => {
        const organization = em.create(Organization, { title, mergeRules: { type: 'none' } });
        await em.flush();
        return organization.id;
      });
      return { id, admin: await build.member(id, 'admin') };
    },

    async member(organizationId, role) {
      const person = await build.user();
      await database.transaction(async (em) => {
        em.create(Member, { organization: organizationId, user: person.id, role });
        await em.flush();
      });
      return person;
    },
  };
  return build;
}
