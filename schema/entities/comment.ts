import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { COMMENT_STATUSES } from '../enums.ts';
import type { Document } from '../json/document.ts';
import { ChangeRequest } from './change-request.ts';
import { Review } from './review.ts';
import { Revision } from './revision.ts';
import { Space } from './space.ts';
import { User } from './user.ts';

/** A comment on a space or on a change request, or a reply to one. Comments stay when their authors leave. */
export const Comment = defineEntity({
  name: 'Comment',
  tableName: 'comment',
  checks: [
    { name: 'comment_reply', expression: '(parent_id is null) = (status is not null)' },
    {
      name: 'comment_resolved',
      expression: "(status = 'resolved') = (num_nonnulls(resolved_at, resolved_by_id) = 2)",
    },
  ],
  indexes: [
    {
      name: 'comment_in_space',
      properties: ['space', 'id'],
      where: '"change_request_id" is null and "parent_id" is null',
    },
    {
      name: 'comment_in_space_status',
      properties: ['space', 'status', 'id'],
      where: '"change_request_id" is null and "parent_id" is null',
    },
    {
      name: 'comment_on_page',
      properties: ['space', 'page', 'id'],
      where: '"page" is not null and "change_request_id" is null and "parent_id" is null',
    },
    {
      name: 'comment_in_change_request',
      properties: ['changeRequest', 'id'],
      where: '"change_request_id" is not null',
    },
    {
      name: 'comment_in_change_request_status',
      properties: ['changeRequest', 'status', 'id'],
      where: '"change_request_id" is not null and "parent_id" is null',
    },
    {
      name: 'comment_in_change_request_on_page',
      properties: ['changeRequest', 'page', 'id'],
      where: '"page" is not null and "change_request_id" is not null and "parent_id" is null',
    },
    {
      name: 'comment_on_node',
      properties: ['space', 'page', 'node'],
      where: '"node" is not null and "change_request_id" is null',
    },
    { name: 'comment_replies', properties: ['parent', 'id'], where: '"parent_id" is not null' },
    { name: 'comment_authors', properties: ['space', 'postedBy'] },
  ],
  properties: {
    id: id(),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade'),
    /** Null for comments on the space itself. */
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().nullable().deleteRule('cascade'),
    /** The comment that this is a reply to. */
    parent: () => p.manyToOne(Comment).mapToPk().nullable().deleteRule('cascade'),
    /** Null for a reply. */
    status: p.enum(COMMENT_STATUSES).nullable(),
    postedBy: () => p.manyToOne(User).mapToPk().index(),
    document: p.json<Document>(),
    /** The document as Markdown, so that long lists need not render it again for each reader. */
    markdown: p.text(),
    /** What the comment is about: the page, the key of a block or other node on it, and the cell if that is a table. */
    page: p.text().nullable(),
    node: p.text().nullable(),
    tableRecord: p.text().nullable(),
    tableDefinition: p.text().nullable(),
    /** The revision that the target was last found in; for a reply, the active revision when it was posted. */
    revision: () => p.manyToOne(Revision).mapToPk().index(),
    /** The review that it was posted with. */
    review: () => p.manyToOne(Review).mapToPk().nullable().deleteRule('set null').unique(),
    createdAt: createdAt(),
    editedAt: timestamp().nullable(),
    resolvedAt: timestamp().nullable(),
    resolvedBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('restrict').index(),
  },
});
export type Comment = InferEntity<typeof Comment>;
