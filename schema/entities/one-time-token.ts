import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, timestamp } from '../columns.ts';
import { ONE_TIME_PURPOSES } from '../enums.ts';
import { User } from './user.ts';

/** A secret that is good for one thing, once: of a link in a mail, or of a sign-in under way in a browser. */
export const OneTimeToken = defineEntity({
  name: 'OneTimeToken',
  tableName: 'one_time_token',
  properties: {
    /** SHA-256 of the secret. */
    hash: bytewise().primary(),
    purpose: p.enum(ONE_TIME_PURPOSES),
    /** Whom it is for, if that is known. */
    user: () => p.manyToOne(User).mapToPk().nullable().deleteRule('cascade').index(),
    /** What its purpose needs to know. */
    data: p.json<object>(),
    createdAt: createdAt(),
    expiresAt: timestamp().index(),
  },
});
export type OneTimeToken = InferEntity<typeof OneTimeToken>;
