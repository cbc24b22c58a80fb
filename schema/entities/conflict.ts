import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt } from '../columns.ts';
import { ChangeRequest } from './change-request.ts';
import { Revision } from './revision.ts';

/** A conflict left by an update of a change request, until it is resolved. */
export const Conflict = defineEntity({
  name: 'Conflict',
  tableName: 'conflict',
  primaryKeys: ['changeRequest', 'key'],
  properties: {
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().primary().deleteRule('cascade'),
    /** Identifies the place of the conflict, stable across updates. */
    key: bytewise().primary(),
    /** The conflict with its three versions, as the merge returned it. */
    body: p.json<unknown>(),
    /** The revision that the update created: its parents are the two sides. */
    update: () => p.manyToOne(Revision).mapToPk().deleteRule('cascade').index(),
    /** The common ancestor: a revision of the space. */
    base: () => p.manyToOne(Revision).mapToPk().deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
export type Conflict = InferEntity<typeof Conflict>;
