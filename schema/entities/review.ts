import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { REVIEW_STATUSES } from '../enums.ts';
import { ChangeRequest } from './change-request.ts';
import { Revision } from './revision.ts';
import { User } from './user.ts';

/** A review of a change request; only the last one of each reviewer counts. Its comment refers to it. */
export const Review = defineEntity({
  name: 'Review',
  tableName: 'review',
  indexes: [{ name: 'review_list', properties: ['changeRequest', 'id'] }],
  properties: {
    id: id(),
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().deleteRule('cascade'),
    reviewer: () => p.manyToOne(User).mapToPk().deleteRule('cascade').index(),
    /** The user who requested it. */
    requestedBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null').index(),
    status: p.enum(REVIEW_STATUSES),
    /** The reviewed revision of the change request. */
    revision: () => p.manyToOne(Revision).mapToPk().deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
export type Review = InferEntity<typeof Review>;
