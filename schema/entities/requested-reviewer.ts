import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt } from '../columns.ts';
import { ChangeRequest } from './change-request.ts';
import { Revision } from './revision.ts';
import { User } from './user.ts';

/** A user who was asked to review a change request. */
export const RequestedReviewer = defineEntity({
  name: 'RequestedReviewer',
  tableName: 'requested_reviewer',
  primaryKeys: ['changeRequest', 'user'],
  indexes: [
    { name: 'requested_reviewer_list', properties: ['changeRequest', 'createdAt', 'user'] },
    { name: 'requested_reviewer_user', properties: ['user', 'changeRequest'] },
  ],
  properties: {
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    requestedBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null').index(),
    /** The change request's revision at that time. */
    revision: () => p.manyToOne(Revision).mapToPk().deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
export type RequestedReviewer = InferEntity<typeof RequestedReviewer>;
