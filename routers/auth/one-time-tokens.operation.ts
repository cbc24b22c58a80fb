import { sql } from 'kysely';
import type { OneTimePurpose } from '../../schema/enums.ts';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { removeOldAttempts } from './attempts.operation.ts';
import { hashSecret, newSecret } from './sessions.operation.ts';

interface NewOneTimeToken {
  purpose: OneTimePurpose;
  /** The user whom it is for, if that is known: it goes when they go. */
  user?: string | undefined;
  data?: object;
  /** How long it is valid, in milliseconds. */
  lifetime: number;
}

/** Issues a secret that is good once. It is returned and not stored. */
export async function issueOneTimeToken(
  db: Db,
  { purpose, user, data = {}, lifetime }: NewOneTimeToken,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = newSecret();
  const expiresAt = new Date(Date.now() + lifetime);
  await db
    .insertInto('one_time_token')
    .values({
      hash: hashSecret(secret),
      purpose,
      user_id: user ?? null,
      data: sql`${JSON.stringify(data)}::jsonb`,
      created_at: new Date(),
      expires_at: expiresAt,
    })
    .execute();
  return { secret, expiresAt };
}

/** What a one-time token is for. */
export interface OneTimeTokenUse<Data> {
  user: string | null;
  data: Data;
}

/**
 * What a secret is good for, without using it up; undefined if it is unknown, used, expired, or for something else. The data
 * is what was issued for this purpose.
 */
export const findOneTimeToken = <Data extends object>(
  db: Db,
  purpose: OneTimePurpose,
  secret: string,
): Promise<OneTimeTokenUse<Data> | undefined> =>
  db
    .selectFrom('one_time_token')
    .select(['user_id as user', sql<never>`data`.as('data')])
    .where('hash', '=', hashSecret(secret))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();

/** The same, using it up: of several at once, one gets it. */
export const consumeOneTimeToken = <Data extends object>(
  db: Db,
  purpose: OneTimePurpose,
  secret: string,
): Promise<OneTimeTokenUse<Data> | undefined> =>
  db
    .deleteFrom('one_time_token')
    .where('hash', '=', hashSecret(secret))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id as user', sql<never>`data`.as('data')])
    .executeTakeFirst();

/** Removes sessions, one-time tokens and counts of attempts that have expired. */
export async function removeExpiredSecrets({ db }: Pick<Context, 'db'>): Promise<void> {
  await sql`delete from one_time_token where expires_at < now()`.execute(db);
  await removeOldAttempts(db);
  await sql`delete from session where least(expires_at, idle_expires_at) < now()`.execute(db);
}
