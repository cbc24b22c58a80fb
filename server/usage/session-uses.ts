import { sql } from 'kysely';
import type { Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { throttledRecorder } from './throttled-recorder.ts';

/** Minimum interval between updates of when a session was last seen, in milliseconds. */
const INTERVAL = 60_000;

/** Records when sessions were last seen, as uses of tokens are recorded, which postpones their expiry. */
export function sessionUses(db: Db, services: Pick<Services, 'logger' | 'sessionLimits'>) {
  const { idle } = services.sessionLimits;
  const record = throttledRecorder(services, {
    interval: INTERVAL,
    description: 'when a session was last seen',
    save: (session, now) => save(db, session, now, idle),
  });
  return (session: string, lastSeenAt: string): void => {
    if (Date.now() - Date.parse(lastSeenAt) > INTERVAL) record(session);
  };
}

const save = (db: Db, session: string, now: number, idle: number) =>
  sql`
    update session set last_seen_at = ${new Date(now)}, idle_expires_at = ${new Date(now + idle)}
    from (
      select id from session
      where id = ${session} and last_seen_at < ${new Date(now - INTERVAL)}
      for no key update skip locked) as used
    where session.id = used.id`.execute(db);
