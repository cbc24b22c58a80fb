import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db, Services } from '../routers/context.ts';

/** Minimum interval between updates of the last use of a token, in milliseconds. */
const STEP = 60_000;

/** Tokens of which a process remembers that it has recorded their use. */
const MAX_TOKENS = 10_000;

/**
 * Records when tokens were last used, as coarse as {@link STEP}. No request waits for it: each process makes one update,
 * whichever of the requests of a token comes first, and leaves the row alone while another one is writing it.
 */
export function tokenUses(db: Db, { logger }: Pick<Services, 'logger'>) {
  const recorded = new LRUCache<string, true>({ max: MAX_TOKENS, ttl: STEP });
  return (token: string, lastUsedAt: string | null): void => {
    const now = Date.now();
    const isRecent = lastUsedAt !== null && now - Date.parse(lastUsedAt) <= STEP;
    if (isRecent || recorded.has(token)) return;
    recorded.set(token, true);
    save(db, token, now).catch((error: unknown) => {
      recorded.delete(token);
      logger.warn({ err: error }, 'the last use of a token could not be recorded');
    });
  };
}

const save = (db: Db, token: string, now: number) =>
  sql`
    update api_token set last_used_at = ${new Date(now)}
    from (
      select id from api_token
      where id = ${token} and (last_used_at is null or last_used_at < ${new Date(now - STEP)})
      for no key update skip locked) as used
    where api_token.id = used.id`.execute(db);
