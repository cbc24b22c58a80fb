import { guard } from './guard.ts';
import { always, at, becomes, never, replace, unwrap } from './mutations.ts';

const ACCESS = 'test/comments/access.test.ts';
const COMMENTS = 'test/comments/comments.test.ts';
const COUNTS = 'test/comments/counts.test.ts';
const TARGETS = 'test/comments/targets.test.ts';
const GENERATED = 'test/comments/generated-pages.test.ts';
const SHORT_DOCUMENTS = 'test/change-requests/short-documents.test.ts';
const RACES = 'test/branches/races.test.ts';

export const COMMENT_GUARDS = [
  guard('comment-edit-authors', 'comments: only authors edit', ACCESS, at('value', always)),
  guard('comment-edit-permission', 'comments: editing requires the permission', ACCESS),
  guard('comment-resolve-permission', 'comments: resolving requires the permission', ACCESS),
  guard('comment-delete-permission', 'comments: deleting requires the permission', ACCESS),
  guard(
    'comment-former-members',
    'comments: former members show no address',
    ACCESS,
    replace({
      'from member': 'from (select 1) as one left join member on false',
      'where member': 'where true or member',
    }),
  ),
  guard('comment-guest-commenters', 'comments: guests see no other commenters', ACCESS),
  guard('comment-space-only', 'comments: those of a change request are not those of its space', COMMENTS),
  guard('comment-page-limit', 'comments: a page of a list is bounded', COMMENTS, at('call 1', unwrap)),
  guard('comment-no-replies', 'comments: replies are not comments', COMMENTS),
  guard('comment-one-body', 'comments: one body, not two', COMMENTS, replace({ 'z.never()': 'z.unknown()' })),
  guard('short-document-given', 'comments: a document that is too long is not processed', SHORT_DOCUMENTS),
  guard('short-document-stored', 'comments: the size of the stored document', SHORT_DOCUMENTS),
  guard('short-document-cells', 'comments: the number of cells without a value', SHORT_DOCUMENTS),
  guard('short-document-scripts', 'comments: no URL runs a script', SHORT_DOCUMENTS),
  guard('comment-reaction-once', 'comments: a reaction is added or removed, not both', COMMENTS),
  guard('comment-reaction-kinds', 'comments: the number of different reactions', COMMENTS),
  guard('comment-own-reactions', 'comments: users take back only their own reactions', COMMENTS),
  guard('comment-resolve-once', 'comments: resolving twice counts once', COUNTS),
  guard('comment-open-count', 'comments: only open ones count', COUNTS, always),
  guard(
    'comment-page-exists',
    'comments: the page must be there',
    TARGETS,
    at('then', becomes('return undefined;')),
  ),
  guard(
    'comment-generated-node',
    'comments: blocks of generated pages are other ones with each version',
    GENERATED,
  ),
  guard('comment-node-exists', 'comments: the node must be there', TARGETS),
  guard(
    'comment-page-unchanged',
    'comments: the page must not change while its node is searched',
    'test/comments/waiting-targets.test.ts',
    at('element 2'),
  ),
  guard('comment-moved-nodes-hook', 'comments follow moved blocks', TARGETS, at('element 2')),
  guard('comment-nodes-while-moving', 'comments that are posted while their block moves follow it', RACES),
  guard(
    'comment-move-several-pages',
    'comments do not follow a block to one of several pages',
    TARGETS,
    at('operand 2', never),
  ),
  guard(
    'comment-move-equal-block',
    'comments do not follow a block to a page that had an equal one',
    TARGETS,
    always,
  ),
  guard(
    'comment-reactions-shown',
    'comments: a comment shows a limited number of reactions',
    'test/comments/cost.test.ts',
    at('value', becomes('1000')),
  ),
  guard(
    'comment-of-change-request',
    'comments: a comment is of the change request of its address',
    [COMMENTS, TARGETS, ACCESS],
    at('operand 2', never),
  ),
];
