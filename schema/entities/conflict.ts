import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt } from '../columns.ts';
import { ChangeRequest } from './change-request.ts';
import { Revision } from './revision.ts';

/** A disagreement that an update of a change request left, until an edit resolves it. */
export const Conflict = defineEntity({
  name: 'Conflict',
  tableName: 'conflict',
  primaryKeys: ['changeRequest', 'key'],
  properties: {
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().primary().deleteRule('cascade'),
    /** Names the place of the disagreement, the same for the same place at every update. */
    key: bytewise().primary(),
    /** What it is about, and its three versions, as the merge gave it. */
    body: p.json<unknown>(),
    /** The revision that the update made: its parents are the two sides. */
    update: () => p.manyToOne(Revision).mapToPk().deleteRule('cascade').index(),
    /** The revision of the space that both sides came from. */
    base: () => p.manyToOne(Revision).mapToPk().deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
export type Conflict = InferEntity<typeof Conflict>;
