import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, timestamp } from '../columns.ts';
import { ChangeRequest } from './change-request.ts';
import { User } from './user.ts';

/** A user who edited the content of a change request. */
export const ChangeRequestContributor = defineEntity({
  name: 'ChangeRequestContributor',
  tableName: 'change_request_contributor',
  primaryKeys: ['changeRequest', 'user'],
  indexes: [
    { name: 'change_request_contributor_list', properties: ['changeRequest', 'createdAt', 'user'] },
    { name: 'change_request_contributor_user', properties: ['user', 'changeRequest'] },
  ],
  properties: {
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    /** How many edits they made. */
    count: p.integer().default(1),
    createdAt: createdAt(),
    /** The time of the last one. */
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export type ChangeRequestContributor = InferEntity<typeof ChangeRequestContributor>;
