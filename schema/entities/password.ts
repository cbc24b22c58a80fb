import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { timestamp } from '../columns.ts';
import { User } from './user.ts';

/** The password of a user, if they have one. Not in `User`, which every request reads. */
export const Password = defineEntity({
  name: 'Password',
  tableName: 'password',
  properties: {
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    /** Argon2id, with its salt and parameters, in the PHC string format. */
    hash: p.text(),
    changedAt: timestamp(),
  },
});
export type Password = InferEntity<typeof Password>;
