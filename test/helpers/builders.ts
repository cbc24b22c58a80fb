import { saveEmptyRoot } from '../../routers/branches/revisions.operation.ts';
import { createCollection } from '../../routers/collections/collections.operation.ts';
import { kyselyOf } from '../../routers/context.ts';
import { issueToken } from '../../routers/people/tokens.operation.ts';
import { positionAtEnd } from '../../routers/placement/siblings.operation.ts';
import { createSpace } from '../../routers/spaces/spaces.operation.ts';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Collection } from '../../schema/entities/collection.ts';
import { Member } from '../../schema/entities/member.ts';
import { Organization } from '../../schema/entities/organization.ts';
import { Permission } from '../../schema/entities/permission.ts';
import { Space } from '../../schema/entities/space.ts';
import { Team } from '../../schema/entities/team.ts';
import { TeamMember } from '../../schema/entities/team-member.ts';
import { User } from '../../schema/entities/user.ts';
import type { ChangeRequestStatus, DefaultLevel, EditMode, Role, TokenScope } from '../../schema/enums.ts';
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
  member(
    organizationId: string,
    role: Role | null,
    given?: { disabled?: boolean; displayName?: string; email?: string },
  ): Promise<Person>;
  /** Makes a user a member of one more organization. */
  join(organizationId: string, userId: string, role: Role | null): Promise<void>;
  /** A team with these users in it, given by id. */
  team(
    organizationId: string,
    given?: { title?: string; owners?: string[]; members?: string[] },
  ): Promise<{ id: string }>;
  /** A collection at the end of its parent, which is given by id; without one at the root. */
  collection(
    organizationId: string,
    given?: { title?: string; parent?: string; defaultLevel?: DefaultLevel | null },
  ): Promise<{ id: string }>;
  /** An empty space, placed likewise. */
  space(
    organizationId: string,
    given?: {
      title?: string;
      parent?: string;
      defaultLevel?: DefaultLevel | null;
      editMode?: EditMode;
      deletedAt?: Date;
    },
  ): Promise<{ id: string; revision: string }>;
  /** A change request without edits of its own. */
  changeRequest(
    spaceId: string,
    given: { createdBy: string; status?: ChangeRequestStatus; subject?: string },
  ): Promise<{ id: string; number: number }>;
  /** Gives a user or a team a level on a collection or space. */
  grant(
    organizationId: string,
    given: ({ user: string } | { team: string }) &
      ({ collection: string } | { space: string }) & { role: Role },
  ): Promise<void>;
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

    async member(organizationId, role, { disabled = false, ...given } = {}) {
      const person = await build.user(given);
      await database.transaction(async (em) => {
        em.create(Member, { organization: organizationId, user: person.id, role, disabled });
        await em.flush();
      });
      return person;
    },

    join: (organizationId, userId, role) =>
      database.transaction(async (em) => {
        em.create(Member, { organization: organizationId, user: userId, role });
        await em.flush();
      }),

    team: (organizationId, { title = 'Team', owners = [], members = [] } = {}) =>
      database.transaction(async (em) => {
        const team = em.create(Team, { organization: organizationId, title });
        for (const user of owners) em.create(TeamMember, { team: team.id, user, role: 'owner' });
        for (const user of members) em.create(TeamMember, { team: team.id, user, role: 'member' });
        await em.flush();
        return { id: team.id };
      }),

    collection: (organizationId, { title = 'Collection', parent, defaultLevel } = {}) =>
      database.transaction(async (em) => {
        const collection = createCollection(em, {
          organization: organizationId,
          parent: parent === undefined ? null : await em.findOneOrFail(Collection, parent),
          position: await positionAtEnd(kyselyOf(em), {
            organization: organizationId,
            parent: parent ?? null,
          }),
          title,
          defaultLevel,
        });
        await em.flush();
        return { id: collection.id };
      }),

    async space(organizationId, { title = 'Space', parent, defaultLevel, editMode, deletedAt } = {}) {
      const author = await build.user();
      return database.transaction(async (em) => {
        const space = createSpace(em, {
          organization: organizationId,
          parent: parent === undefined ? null : await em.findOneOrFail(Collection, parent),
          position: await positionAtEnd(kyselyOf(em), {
            organization: organizationId,
            parent: parent ?? null,
          }),
          title,
          defaultLevel,
          editMode,
          author: author.id,
          root: await saveEmptyRoot(em),
        });
        if (deletedAt) space.deletedAt = deletedAt;
        await em.flush();
        return { id: space.id, revision: space.revision };
      });
    },

    changeRequest: (spaceId, { createdBy, status = 'draft', subject = 'Changes' }) =>
      database.transaction(async (em) => {
        const space = await em.findOneOrFail(Space, spaceId);
        const { revision } = space;
        const number = ++space.changeRequests;
        if (status === 'open') space.changeRequestsOpen++;
        if (status === 'draft') space.changeRequestsDraft++;
        const changeRequest = em.create(ChangeRequest, {
          space: spaceId,
          number,
          status,
          subject,
          createdBy,
          revision,
          revisionInitial: revision,
        });
        await em.flush();
        return { id: changeRequest.id, number };
      }),

    grant: (organizationId, given) =>
      database.transaction(async (em) => {
        em.create(Permission, { organization: organizationId, ...given });
        await em.flush();
      }),
  };
  return build;
}
