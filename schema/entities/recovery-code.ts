import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { User } from './user.ts';

/** A code that replaces the authenticator app once, for users who have lost it: only its SHA-256 is stored. */
export const RecoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_code',
  primaryKeys: ['user', 'hash'],
  properties: {
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    hash: bytewise().primary(),
  },
});
export type RecoveryCode = InferEntity<typeof RecoveryCode>;
