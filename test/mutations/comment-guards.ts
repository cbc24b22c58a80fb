import type { Guard } from './guards.ts';

const ACCESS = 'test/comments/access.test.ts';
const COMMENTS = 'test/comments/comments.test.ts';
const COUNTS = 'test/comments/counts.test.ts';
const TARGETS = 'test/comments/targets.test.ts';

export const COMMENT_GUARDS: Guard[] = [
  {
    name: 'comments: only authors edit',
    file: 'routers/comments/access.ts',
    find: '{ edit: false,',
    replace: '{ edit: true,',
    tests: [ACCESS],
  },
  {
    name: 'comments: editing asks for the permission',
    file: 'routers/comments/comments.handlers.ts',
    find: "if (body) requireOnComment('edit', standing, isOwn);",
    replace: '',
    tests: [ACCESS],
  },
  {
    name: 'comments: resolving asks for the permission',
    file: 'routers/comments/comments.handlers.ts',
    find: "if (resolved !== undefined) requireOnComment('resolve', standing, isOwn);",
    replace: '',
    tests: [ACCESS],
  },
  {
    name: 'comments: deleting asks for the permission',
    file: 'routers/comments/comments.handlers.ts',
    find: "requireOnComment('delete', { level, scope: viewer.scope }, isOwn);",
    replace: '',
    tests: [ACCESS],
  },
  {
    name: 'comments: who left shows no address',
    file: 'routers/people/users.query.ts',
    find: 'case when exists (',
    replace: 'case when true or exists (',
    tests: [ACCESS],
  },
  {
    name: 'comments: guests see no other commenters',
    file: 'routers/comments/comments.handlers.ts',
    find: "if (!mayListMembers(viewer)) listed = listed.where('member.user_id', '=', viewer.userId);",
    replace: '',
    tests: [ACCESS],
  },
  {
    name: 'comments: those of a change request are not those of its space',
    file: 'routers/comments/comments.query.ts',
    find: ": all.where('comment.change_request_id', 'is', null);",
    replace: ': all;',
    tests: [COMMENTS],
  },
  {
    name: 'comments: replies are not comments',
    file: 'routers/comments/comments.query.ts',
    find: "everythingOn(db, commented).where('comment.parent_id', 'is', null);",
    replace: 'everythingOn(db, commented);',
    tests: [COMMENTS],
  },
  {
    name: 'comments: one body, not two',
    file: 'routers/comments/body.ts',
    find: 'document: z.never().optional() }',
    replace: 'document: z.unknown().optional() }',
    tests: [COMMENTS],
  },
  {
    name: 'comments: the size of the document',
    file: 'routers/comments/body.ts',
    find: '  requireSize(document);\n',
    replace: '',
    tests: [COMMENTS],
  },
  {
    name: 'comments: a reaction is added or removed, not both',
    file: 'routers/comments/comments.handlers.ts',
    find: 'if (addedReactions?.some((emoji) => removedReactions?.includes(emoji))) {',
    replace: 'if (addedReactions?.some(() => false)) {',
    tests: [COMMENTS],
  },
  {
    name: 'comments: the number of different reactions',
    file: 'routers/comments/comments.operation.ts',
    find: 'if (Number(used) > MAX_EMOJI)',
    replace: 'if (Number(used) < 0)',
    tests: [COMMENTS],
  },
  {
    name: 'comments: users take back only their own reactions',
    file: 'routers/comments/comments.operation.ts',
    find: "      .where('user_id', '=', user)\n",
    replace: '',
    tests: [COMMENTS],
  },
  {
    name: 'comments: resolving twice counts once',
    file: 'routers/comments/comments.operation.ts',
    find: "    .where('status', '<>', status)\n",
    replace: '',
    tests: [COUNTS],
  },
  {
    name: 'comments: only open ones count',
    file: 'routers/comments/comments.operation.ts',
    find: "if (deleted.status === 'open') await",
    replace: 'await',
    tests: [COUNTS],
  },
  {
    name: 'comments: the page must be there',
    file: 'routers/comments/target.query.ts',
    find: "if (!page) throw notFound('page');",
    replace: 'if (!page) return;',
    tests: [TARGETS],
  },
  {
    name: 'comments: the node must be there',
    file: 'routers/comments/target.query.ts',
    find: 'if (missing) throw notFound(missing);',
    replace: '',
    tests: [TARGETS],
  },
  {
    name: 'comments follow moved blocks',
    file: 'routers/followers.ts',
    find: '[indexNewLinks, followMovedNodes]',
    replace: '[indexNewLinks]',
    tests: [TARGETS],
  },
  {
    name: 'comments do not follow a block to one of several pages',
    file: 'routers/engine/store/moved-nodes.ts',
    find: 'to === undefined || others.length > 0 ?',
    replace: 'to === undefined || others.length < 0 ?',
    tests: [TARGETS],
  },
  {
    name: 'comments do not follow a block to a page that had an equal one',
    file: 'routers/engine/store/moved-nodes.ts',
    find: 'if (current.has(node) && !old.has(node)) pages.add(page);',
    replace: 'if (current.has(node)) pages.add(page);',
    tests: [TARGETS],
  },
];
