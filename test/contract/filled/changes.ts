import { type FilledTable, id, literal, own, type Values } from './values.ts';

/** The tables of change requests and comments. */
export const changeTables = ({
  ids,
  organization,
  space,
  user,
  revision,
  request,
  anyUser,
  rareUser,
  at,
  created,
  changed,
}: Values): FilledTable[] => [
  [
    'change_request',
    {
      id: id('r'),
      organization_id: `case when i % 10 < 2 then ${organization} else ${id('o', 'i % 1000')} end`,
      space_id: own(space, id('s'), 1),
      number: '1000 + i',
      status: "case when i % 500 in (0, 1) then 'archived' else 'merged' end",
      subject: "'Change'",
      created_by_id: rareUser(1000),
      revision_id: revision,
      revision_initial_id: revision,
      conversations_issues_cluster_id: `case when i % 1000 in (0, 1) then ${literal(ids.clusterId)} end`,
      ...changed,
    },
  ],
  ['change_request_contributor', { change_request_id: id('r'), user_id: rareUser(1000), ...created }],
  ['change_request_contributor', { change_request_id: request, user_id: anyUser, ...created }, 10_000],
  [
    'requested_reviewer',
    { change_request_id: id('r'), user_id: rareUser(1000), revision_id: revision, ...created },
  ],
  [
    'requested_reviewer',
    { change_request_id: request, user_id: anyUser, revision_id: revision, ...created },
    10_000,
  ],
  [
    'review',
    {
      id: id('e'),
      change_request_id: own(request, id('r')),
      reviewer_id: anyUser,
      status: "'approved'",
      revision_id: revision,
      ...created,
    },
  ],
  [
    'comment',
    {
      id: id('m'),
      space_id: `case when i % 10 < 4 then ${space} else ${id('s')} end`,
      change_request_id: `case when i % 10 in (1, 3) then ${request} end`,
      parent_id: `case i % 10 when 2 then ${literal(ids.commentId)} when 3 then ${literal(ids.requestCommentId)} end`,
      status: "case when i % 10 in (2, 3) then null when i % 1000 in (0, 1) then 'resolved' else 'open' end",
      resolved_at: `case when i % 1000 in (0, 1) then ${at} end`,
      resolved_by_id: `case when i % 1000 in (0, 1) then ${user} end`,
      page: `case when i % 1000 in (0, 1) then ${literal(ids.pageId)} end`,
      // Members of the organization.
      posted_by_id: `case when i % 1000 in (0, 1) then ${user} else ${id('u', 'greatest(10, i - i % 10)')} end`,
      document: `'{"object":"document","data":{"schemaVersion":1},"nodes":[]}'`,
      markdown: "''",
      revision_id: revision,
      ...created,
    },
  ],
];
