import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';

/** The same error whatever is wrong. */
export const wrongPasskey = () =>
  new DomainError('unauthenticated', 'This passkey is not valid here, or signing in took too long.');

/** Whether a user has a passkey. */
export const hasPasskey = async (db: Db, user: string, passkey: string): Promise<boolean> =>
  (await db
    .selectFrom('passkey')
    .select('id')
    .where('id', '=', passkey)
    .where('user_id', '=', user)
    .executeTakeFirst()) !== undefined;
