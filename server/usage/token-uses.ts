import { sql } from 'kysely';
import type { Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { throttledRecorder } from './throttled-recorder.ts';

/** Minimum interval between updates of the last use of a token, in milliseconds. */
const INTERVAL = 60_000;

/**
 * Records when tokens were last used, with a resolution of {@link INTERVAL}. No request waits for it: each process makes one
 * update, for the first request with a token, and skips it while another process is writing the row.
 */
export function tokenUses(db: Db, services: Pick<Services, 'logger'>) {
  const record = throttledRecorder(services, {
    interval: INTERVAL,
    description: 'the last use of a token',
    save: (token, now) => save(db, token, now),
  });
  return (token: string, lastUsedAt: string | null): void => {
    const isRecent = lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) <= INTERVAL;
    if (!isRecent) record(token);
  };
}

const save = (db: Db, token: string, now: number) =>
  // guard: token-use-lock
  sql`
    update api_token set last_used_at = ${new Date(now)}
    from (
      select id from api_token
      where id = ${token} and (last_used_at is null or last_used_at < ${new Date(now - INTERVAL)})
      for no key update skip locked) as used
    where api_token.id = used.id`.execute(db);
