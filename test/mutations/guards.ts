/** A guard as it stands in the source, what it is replaced with to take it out, and the tests that must notice. */
export interface Guard {
  name: string;
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
  /** Test files, or folders of them. */
  tests: string[];
}

const LEVELS = 'test/contract/levels.test.ts';
const FOREIGN = 'test/contract/foreign.test.ts';
const DENIALS = 'test/contract/denials.test.ts';

export const GUARDS: Guard[] = [
  {
    name: 'only members see an organization and what is in it',
    file: 'routers/access/load.ts',
    find: 'row.memberUser !== null && !row.memberDisabled ? { role: row.memberRole } : null',
    replace: 'row.memberDisabled ? null : { role: row.memberRole }',
    tests: [LEVELS],
  },
  {
    name: 'a disabled member is none',
    file: 'routers/access/load.ts',
    find: 'row.memberUser !== null && !row.memberDisabled',
    replace: 'row.memberUser !== null',
    tests: ['test/rest/organizations/denials.test.ts'],
  },
  {
    name: 'requireOrganization: permission',
    file: 'routers/access/require.ts',
    find: 'if (!allows(access.member.role, ORGANIZATION_NEEDS[permission]))',
    replace: 'if (false)',
    tests: [LEVELS],
  },
  {
    name: 'requireSpace: permission',
    file: 'routers/access/require.ts',
    find: 'if (!allows(level, NEEDS_ON_SPACE[permission]))',
    replace: 'if (false)',
    tests: [LEVELS],
  },
  {
    name: 'requireSpace: deleted spaces',
    file: 'routers/access/require.ts',
    find: 'if (deletedAt && !(options.deleted',
    replace: 'if (false && !(options.deleted',
    tests: ['test/rest/spaces'],
  },
  {
    name: 'requireCollection: permission',
    file: 'routers/access/require.ts',
    find: 'if (!allows(access.level, COLLECTION_NEEDS[permission]))',
    replace: 'if (false)',
    tests: [LEVELS],
  },
  {
    name: 'requireParent: organization of the parent',
    file: 'routers/access/require.ts',
    find: 'if (collection.organization !== organizationId)',
    replace: 'if (false)',
    tests: [FOREIGN],
  },
  {
    name: 'base procedures: no mistaken need',
    file: 'routers/access/needs.ts',
    find: "  merge: 'review',",
    replace: "  merge: 'edit',",
    tests: [LEVELS, 'test/rest/change-requests'],
  },
  {
    name: 'teamProcedure: permission',
    file: 'routers/organizations/teams.procedures.ts',
    find: 'if (!permissions[permission])',
    replace: 'if (false)',
    tests: [LEVELS],
  },
  {
    name: 'teamProcedure: visibility',
    file: 'routers/organizations/teams.procedures.ts',
    find: 'if (!permissions.view)',
    replace: 'if (false)',
    tests: [LEVELS],
  },
  {
    name: 'memberProcedure: visibility',
    file: 'routers/organizations/members.procedures.ts',
    find: 'if (!mayViewMember({ userId: callerId, role: callerRole }, userId))',
    replace: 'if (false)',
    tests: [LEVELS],
  },
  {
    name: 'a team belongs to the organization',
    file: 'routers/organizations/teams.procedures.ts',
    find: ".innerJoin('team', 'team.organization_id', 'member.organization_id')",
    replace: ".innerJoin('team', (join) => join.onTrue())",
    tests: [FOREIGN],
  },
  {
    name: 'a member belongs to the organization',
    file: 'routers/organizations/members.procedures.ts',
    find: ".innerJoin('member', 'member.organization_id', 'caller.organization_id')",
    replace: ".innerJoin('member', (join) => join.onTrue())",
    tests: [FOREIGN],
  },
  {
    name: 'a change request belongs to the space',
    file: 'routers/change-requests/change-requests.procedures.ts',
    find: "join.onRef('change_request.space_id', '=', 'space.id')",
    replace: 'join.onTrue()',
    tests: [FOREIGN],
  },
  {
    name: 'a revision belongs to the space',
    file: 'routers/content/content.procedures.ts',
    find: "join.onRef('revision.space_id', '=', 'space.id').on(",
    replace: 'join.on(',
    tests: [FOREIGN],
  },
  {
    name: 'a revision to revert belongs to the space',
    file: 'routers/change-requests/merge.router.ts',
    find: '{ id: revisionId, space: space.id }',
    replace: '{ id: revisionId }',
    tests: [FOREIGN],
  },
  {
    name: 'a review belongs to the change request',
    file: 'routers/change-requests/reviews.query.ts',
    find: ".where('review.change_request_id', '=', id)",
    replace: '',
    tests: [FOREIGN],
  },
  {
    name: 'a document is held by the space',
    file: 'routers/content/documents.router.ts',
    find: "if (!isHeld) throw notFound('document');",
    replace: '',
    tests: [FOREIGN],
  },
  {
    name: 'an upload belongs to the space',
    file: 'routers/content/uploads.ts',
    find: 'uploaded.space === space &&',
    replace: '',
    tests: [FOREIGN],
  },
  {
    name: 'a token belongs to the caller',
    file: 'routers/organizations/users.router.ts',
    find: '{ id: input.tokenId, user: ctx.actor.user.id }',
    replace: '{ id: input.tokenId }',
    tests: [LEVELS],
  },
  {
    name: 'users are known to those who share an organization',
    file: 'routers/organizations/users.router.ts',
    find: ".where('caller.user_id', '=', callerId)",
    replace: '',
    tests: [LEVELS],
  },
  {
    name: 'users change themselves alone',
    file: 'routers/organizations/users.router.ts',
    find: 'if (userId !== ctx.actor.user.id) {',
    replace: 'if (false) {',
    tests: [LEVELS],
  },
  {
    name: 'grants go to members and teams of the organization',
    file: 'routers/access/permissions.operation.ts',
    find: '  if (unknown !== undefined)',
    replace: '  if (false)',
    tests: [FOREIGN],
  },
  {
    name: 'teams take members of the organization',
    file: 'routers/organizations/team-members.operation.ts',
    find: ".where('member.organization_id', '=', organizationId)",
    replace: '',
    tests: [FOREIGN],
  },
  {
    name: 'reviewers can see the space',
    file: 'routers/change-requests/requested-reviewers.router.ts',
    find: 'if (blind !== undefined)',
    replace: 'if (false)',
    tests: [FOREIGN],
  },
  {
    name: 'merge rules name members',
    file: 'routers/change-requests/merge-rules.query.ts',
    find: '  if (unknown !== undefined)',
    replace: '  if (false)',
    tests: [FOREIGN],
  },
  {
    name: 'a space moves into another organization with leave of that',
    file: 'routers/spaces/placement.router.ts',
    find: "await requireOrganization(db, actor.user.id, input.organization, 'createContent');",
    replace: '',
    tests: [FOREIGN],
  },
  {
    name: 'lists show what the caller may view',
    file: 'routers/spaces/spaces.router.ts',
    find: ".where(viewable('space', member, grants))",
    replace: '',
    tests: ['test/rest/permissions', 'test/rest/spaces'],
  },
  {
    name: 'a token is needed',
    file: 'routers/trpc.ts',
    find: "if (!actor) throw new TRPCError({ code: 'UNAUTHORIZED', message: UNAUTHENTICATED });",
    replace: "if (!actor) throw new TRPCError({ code: 'FORBIDDEN', message: UNAUTHENTICATED });",
    tests: [DENIALS],
  },
  {
    name: 'the scope of a token',
    file: 'routers/trpc.ts',
    find: "if (type === 'mutation' && actor.token.scope === 'read')",
    replace: 'if (false)',
    tests: [DENIALS],
  },
  {
    name: 'an expired token is none',
    file: 'server/context.ts',
    find: 'if (tokenExpiresAt && Date.parse(String(tokenExpiresAt)) <= now) return null;',
    replace: '',
    tests: ['test/rest/wire.test.ts'],
  },
  {
    name: 'operator only',
    file: 'routers/trpc.ts',
    find: 'if (!ctx.operator)',
    replace: 'if (false)',
    tests: [DENIALS],
  },
  {
    name: 'the rate limit',
    file: 'server/rate-limit.ts',
    find: "await app.register(fastifyRateLimit, { max, timeWindow: '1 minute', keyGenerator });",
    replace: '',
    tests: ['test/rest/limits.test.ts'],
  },
  {
    name: 'the limit of the rate is that of the token',
    file: 'server/rate-limit.ts',
    find: 'return actor.token.id;',
    replace: 'return ip;',
    tests: ['test/rest/limits.test.ts'],
  },
  {
    name: 'the limit of a body',
    file: 'server/app.ts',
    find: '    bodyLimit: BODY_LIMIT,',
    replace: '    bodyLimit: 2 ** 40,',
    tests: ['test/rest/wire.test.ts'],
  },
];
