import { vi } from 'vitest';

const WAITING = `
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/**
 * Waits until some session of the database is blocked by a lock that another one holds.
 * @param query runs a statement outside any transaction, because within one the database keeps showing the same sessions
 */
export const untilBlocked = (query: (statement: string) => Promise<{ rows: unknown[] }>): Promise<boolean> =>
  vi.waitUntil(async () => (await query(WAITING)).rows.length > 0, { timeout: 20_000, interval: 10 });
