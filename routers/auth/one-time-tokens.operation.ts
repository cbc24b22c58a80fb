import { sql } from 'kysely';
import type { OneTimePurpose } from '../../schema/enums.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import { removeOldAttempts } from './attempts.operation.ts';

interface NewOneTimeToken {
  purpose: OneTimePurpose;
  /** The user that it is for, if known: it is deleted with them. */
  user?: string | undefined;
  data?: object;
  /** How long it is valid, in milliseconds. */
  lifetime: number;
  /** When it ends at the latest. */
  until?: Date | string | null | undefined;
}

/** Issues a secret that can be used once. Only its hash is stored. */
export async function issueOneTimeToken(
  db: Db,
  { purpose, user, data = {}, lifetime, until }: NewOneTimeToken,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = newSecret();
  const expiresAt = new Date(
    Math.min(Date.now() + lifetime, until ? Date.parse(isoTime(until)) : Number.POSITIVE_INFINITY),
  );
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

/** The user and the data that a one-time token was issued for. */
export interface OneTimeTokenUse<Data> {
  user: string | null;
  data: Data;
}

/**
 * Finds a token by its secret, without consuming it; undefined if it is unknown, used, expired, or for another purpose. Its
 * data is what it was issued with.
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

/** The same, and consumes it: of concurrent calls, only one gets it. */
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

/** Removes expired sessions, one-time tokens and counts of attempts. */
export async function removeExpiredSecrets({ db }: Pick<Context, 'db'>): Promise<void> {
  await sql`delete from one_time_token where expires_at < now()`.execute(db);
  await removeOldAttempts(db);
  await sql`delete from session where least(expires_at, idle_expires_at) < now()`.execute(db);
}
