import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, updatedAt } from '../columns.ts';
import { CHANGE_REQUEST_STATUSES } from '../enums.ts';
import type { Document } from '../json/document.ts';
import { IssuesCluster } from './issues-cluster.ts';
import { Organization } from './organization.ts';
import { Revision } from './revision.ts';
import { Space } from './space.ts';
import { User } from './user.ts';

/** Proposed edits of a space: a branch of its content that can be reviewed and merged. */
export const ChangeRequest = defineEntity({
  name: 'ChangeRequest',
  tableName: 'change_request',
  uniques: [{ name: 'change_request_number', properties: ['space', 'number'] }],
  indexes: [
    { name: 'change_request_list', properties: ['space', 'status', 'id'] },
    { name: 'change_request_list_all', properties: ['space', 'id'] },
    { name: 'change_request_organization', properties: ['organization', 'status', 'id'] },
    { name: 'change_request_organization_all', properties: ['organization', 'id'] },
    { name: 'change_request_creator', properties: ['createdBy', 'organization', 'id'] },
    {
      name: 'change_request_cluster',
      properties: ['organization', 'conversationsIssuesCluster', 'id'],
      where: '"conversations_issues_cluster_id" is not null',
    },
  ],
  properties: {
    id: id(),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade'),
    /** The space's organization, repeated so that an index can order all change requests of the organization. */
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** Counts up from 1 within the space, without gaps. */
    number: p.integer(),
    status: p.enum(CHANGE_REQUEST_STATUSES),
    subject: p.text(),
    description: p.json<Document>().nullable(),
    createdBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null'),
    /** Its own active revision. */
    revision: () => p.manyToOne(Revision).mapToPk().index(),
    /** The revision of the space that it started from. */
    revisionInitial: () => p.manyToOne(Revision).mapToPk().index(),
    /** The revision of the space that was last pulled in. */
    revisionMergedAncestor: () => p.manyToOne(Revision).mapToPk().nullable().index(),
    /** The revision of the space that its merge created. */
    revisionMerged: () => p.manyToOne(Revision).mapToPk().nullable().index(),
    /** The number of open comments. */
    comments: p.integer().default(0),
    /** The cluster of issues that it is meant to solve. */
    conversationsIssuesCluster: () => p.manyToOne(IssuesCluster).mapToPk().nullable().deleteRule('set null'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type ChangeRequest = InferEntity<typeof ChangeRequest>;
