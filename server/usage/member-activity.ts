import { sql } from 'kysely';
import type { Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { throttledRecorder } from './throttled-recorder.ts';

/**
 * Minimum interval between updates for one member, in milliseconds: half a minute, because a time recorded by another
 * process may already be that old when this one skips its update, and is not updated for as long again.
 */
const INTERVAL = 30_000;

/** Records when members were last active in their organizations, to within a minute, as uses of tokens are recorded. */
export function memberActivity(db: Db, services: Pick<Services, 'logger'>) {
  const record = throttledRecorder(services, {
    interval: INTERVAL,
    description: 'when a member was last seen',
    save: (key, now) => {
      const [user = '', organization = ''] = key.split(' ');
      return save(db, user, organization, now);
    },
  });
  return (user: string, organization: string): void => record(`${user} ${organization}`);
}

const save = (db: Db, user: string, organization: string, now: number) =>
  // guard: seen-interval
  sql`
    update member set last_seen_at = ${new Date(now)}
    from (
      select user_id from member
      where user_id = ${user} and organization_id = ${organization} and not disabled
        and (last_seen_at is null or last_seen_at < ${new Date(now - INTERVAL)})
      for no key update skip locked) as seen
    where member.user_id = ${user} and member.organization_id = ${organization} and member.user_id = seen.user_id`.execute(
    db,
  );
