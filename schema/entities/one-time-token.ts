import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, timestamp } from '../columns.ts';
import { ONE_TIME_PURPOSES } from '../enums.ts';
import { User } from './user.ts';

/** A secret that can be used once, for one purpose: that of a link in an e-mail, or of a sign-in in progress. */
export const OneTimeToken = defineEntity({
  name: 'OneTimeToken',
  tableName: 'one_time_token',
  properties: {
    /** SHA-256 of the secret. */
    hash: bytewise().primary(),
    purpose: p.enum(ONE_TIME_PURPOSES),
    /** The user it is for, if known. */
    user: () => p.manyToOne(User).mapToPk().nullable().deleteRule('cascade').index(),
    /** Data that the purpose needs. */
    data: p.json<object>(),
    createdAt: createdAt(),
    expiresAt: timestamp().index(),
  },
});
export type OneTimeToken = InferEntity<typeof OneTimeToken>;
