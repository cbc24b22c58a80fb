import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import type { AttemptKey, Attempts } from '../base/sign-in-ports.ts';
import { TooManyAttempts } from '../engine/errors.ts';
import { PREPARE } from '../sql/statement.ts';

/** The most exhausted keys that a process remembers. */
const MAX_KEYS = 10_000;

/** How often something may be attempted. */
interface Limit {
  /** The prefix of its keys in the database. */
  prefix: string;
  /** The most attempts within a window, which starts with the first one. */
  max: number;
  /** In milliseconds. */
  window: number;
}

const MINUTE = 60_000;

const LIMITS = {
  /** Sign-ins to an account by password, whether or not it exists. */
  account: { prefix: 'account', max: 20, window: 15 * MINUTE },
  /** The same from one address, for any account. */
  address: { prefix: 'address', max: 100, window: 15 * MINUTE },
  /** Codes of a user's second factor, after the first factor was right. */
  secondFactor: { prefix: 'second-factor', max: 10, window: 15 * MINUTE },
  /** Sign-ins started from one address, each of which is stored until it is finished or expires. */
  begin: { prefix: 'begin', max: 300, window: 15 * MINUTE },
  /** Mails to one e-mail address, and mails requested from one network address. */
  mail: { prefix: 'mail', max: 5, window: 60 * MINUTE },
  mailFrom: { prefix: 'mail-from', max: 30, window: 60 * MINUTE },
  /** Invites that a user mails to one address, and to all. */
  invite: { prefix: 'invite', max: 5, window: 60 * MINUTE },
  inviteFrom: { prefix: 'invite-from', max: 1000, window: 60 * MINUTE },
} satisfies Record<AttemptKey['limit'], Limit>;

/** Treats all IPv6 addresses of a subscriber as one. */
function subscriberOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The keys of a sign-in by password. */
export const signInAttempt = (account: string, address: string): AttemptKey[] => [
  { limit: 'account', subject: account },
  // guard: attempts-by-subscriber
  { limit: 'address', subject: subscriberOf(address) },
];

/** The keys of a second factor. */
export const secondFactorAttempt = (user: string): AttemptKey[] => [{ limit: 'secondFactor', subject: user }];

/** The keys of starting a sign-in with a passkey or at a provider. */
export const startAttempt = (address: string): AttemptKey[] => [
  { limit: 'begin', subject: subscriberOf(address) },
];

/** The keys of requesting a mail. */
export const mailAttempt = (email: string, address: string): AttemptKey[] => [
  { limit: 'mail', subject: email },
  { limit: 'mailFrom', subject: subscriberOf(address) },
];

const keyOf = ({ limit, subject }: AttemptKey) => `${LIMITS[limit].prefix}:${hash('sha256', subject)}`;

export function createAttempts(): Attempts {
  /** Exhausted keys: further attempts in a flood then cost no statement. */
  const exhausted = new LRUCache<string, true>({ max: MAX_KEYS });
  return {
    async count(db, attempt) {
      const keys = attempt.map(keyOf);
      const remaining = keys.reduce((most, key) => Math.max(most, exhausted.getRemainingTTL(key)), 0);
      if (remaining > 0) throw new TooManyAttempts(remaining);
      const rows = attempt.map(({ limit, weight = 1 }, i) => ({
        key: keys[i],
        window: LIMITS[limit].window,
        weight,
      }));
      // In the order of the keys, so that no two statements deadlock.
      const { rows: counted } = await sql<{ key: string; count: number; left: number }>`
        insert into attempt (key, count, expires_at)
        select given.key, given.weight, now() + given.window * interval '1 millisecond'
        from json_to_recordset(${JSON.stringify(rows)}::json) as given (key text, "window" int, weight int)
        order by given.key collate "C"
        on conflict (key) do update set
          count = excluded.count + case when attempt.expires_at < now() then 0 else attempt.count end,
          expires_at = case when attempt.expires_at < now() then excluded.expires_at else attempt.expires_at end
        returning key, count, extract(epoch from expires_at - now())::float8 * 1000 as "left"
        ${sql.raw(PREPARE)}`.execute(db);
      let exceeded = 0;
      for (const { key, count, left } of counted) {
        const { limit, weight = 1 } = attempt[keys.indexOf(key)] as AttemptKey;
        const { max } = LIMITS[limit];
        if (count > max) exceeded = Math.max(exceeded, left);
        // What is refused may be rolled back: a smaller attempt may still be possible.
        const used = count > max ? count - weight : count;
        if (used >= max) exhausted.set(key, true, { ttl: Math.max(1, left) });
      }
      if (exceeded > 0) throw new TooManyAttempts(exceeded);
    },
    async refund(db, attempt) {
      const keys = attempt.map(keyOf);
      for (const key of keys) exhausted.delete(key);
      await sql`
        update attempt set count = count - 1
        from (
          select key from attempt where key = any(${keys}::text[]) and count > 0
          order by key for no key update) as locked
        where attempt.key = locked.key`.execute(db);
    },
  };
}

/** Removes attempts that no longer count. */
export const removeOldAttempts = (db: Db): Promise<unknown> =>
  sql`delete from attempt where expires_at < now()`.execute(db);
