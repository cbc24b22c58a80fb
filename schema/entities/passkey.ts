import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { User } from './user.ts';

/** The public key of a device that a user signs in with (WebAuthn). */
export const Passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  indexes: [{ name: 'passkey_list', properties: ['user', 'id'] }],
  properties: {
    id: id(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    name: p.text(),
    /** The id that the device gave it, in base64url. */
    credential: p.text().unique(),
    /** COSE, in base64url. */
    publicKey: p.text(),
    /** The device's own count of its signatures; 0 for devices that do not count. */
    counter: p.bigint('number'),
    /** How browsers connect to the device. */
    transports: p.json<string[]>(),
    /** Whether it is synchronized between devices. */
    isSynced: p.boolean(),
    createdAt: createdAt(),
    lastUsedAt: timestamp().nullable(),
  },
});
export type Passkey = InferEntity<typeof Passkey>;
