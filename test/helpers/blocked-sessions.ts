import { vi } from 'vitest';

const WAITING = `
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/**
 * Waits until a session of the database waits for a lock that another one holds.
 * @param query runs a statement outside of any transaction: inside one the database shows the same sessions again
 */
export const untilBlocked = (query: (statement: string) => Promise<{ rows: unknown[] }>): Promise<boolean> =>
  vi.waitUntil(async () => (await query(WAITING)).rows.length > 0, { timeout: 20_000, interval: 10 });
