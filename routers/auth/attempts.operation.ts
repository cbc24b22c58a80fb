import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import type { Attempts, AttemptKey } from '../base/sign-in-ports.ts';
import { DomainError } from '../engine/errors.ts';
import { PREPARE } from '../sql/statement.ts';

/** Keys that a process remembers to be used up. */
const MAX_KEYS = 10_000;

/** How often something may be tried. */
interface Limit {
  what: string;
  /** In a window, in milliseconds, that starts with the first attempt. */
  max: number;
  window: number;
}

const MINUTE = 60_000;

const LIMITS = {
  /** Proofs of one account, by password or second factor, whether or not there is such an account. */
  account: { what: 'account', max: 20, window: 15 * MINUTE },
  /** The same from one address, for whatever account. */
  address: { what: 'address', max: 100, window: 15 * MINUTE },
  /** Codes of one user's second factor, of whom a first one is known by then. */
  secondFactor: { what: 'second-factor', max: 10, window: 15 * MINUTE },
  /** Sign-ins that are begun from one address, each of which is stored until it is finished or expires. */
  begin: { what: 'begin', max: 300, window: 15 * MINUTE },
  /** Mails to one address, and mails for whomever that one address asks for. */
  mail: { what: 'mail', max: 5, window: 60 * MINUTE },
  mailFrom: { what: 'mail-from', max: 30, window: 60 * MINUTE },
} satisfies Record<AttemptKey['bound'], Limit>;

/** Addresses of one subscriber of IPv6 count as one. */
const subscriberOf = (address: string): string => {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address.replace(/^::ffff:/, '');
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head.split(':').filter(Boolean);
  if (tail !== undefined) while (groups.length < 4) groups.push('0');
  return `${groups.slice(0, 4).join(':')}::/64`;
};

/** The bounds of proving who one is. */
export const signInAttempt = (account: string, address: string): AttemptKey[] => [
  { bound: 'account', of: account },
  { bound: 'address', of: subscriberOf(address) },
];

/** The bounds of a second factor. */
export const secondFactorAttempt = (user: string): AttemptKey[] => [{ bound: 'secondFactor', of: user }];

/** The bounds of beginning to sign in by something that answers to a challenge. */
export const startAttempt = (address: string): AttemptKey[] => [{ bound: 'begin', of: subscriberOf(address) }];

/** The bounds of having a mail sent. */
export const mailAttempt = (email: string, address: string): AttemptKey[] => [
  { bound: 'mail', of: email },
  { bound: 'mailFrom', of: subscriberOf(address) },
];

const keyOf = ({ bound, of }: AttemptKey) => `${LIMITS[bound].what}:${hash('sha256', of)}`;

export function createAttempts(): Attempts {
  /** Those of others in a flood cost no statement. */
  const exhausted = new LRUCache<string, true>({ max: MAX_KEYS });
  return {
    async count(db, tried) {
      const keys = tried.map(keyOf);
      if (keys.some((key) => exhausted.has(key))) throw tooMany();
      const rows = tried.map((one, i) => ({ key: keys[i], window: LIMITS[one.bound].window }));
      // In the order of their keys, so that no two wait for each other.
      const { rows: counted } = await sql<{ key: string; count: number; left: number }>`
        insert into attempt (key, count, expires_at)
        select given.key, 1, now() + given.window * interval '1 millisecond'
        from json_to_recordset(${JSON.stringify(rows)}::json) as given (key text, "window" int)
        order by given.key collate "C"
        on conflict (key) do update set
          count = case when attempt.expires_at < now() then 1 else attempt.count + 1 end,
          expires_at = case when attempt.expires_at < now() then excluded.expires_at else attempt.expires_at end
        returning key, count, extract(epoch from expires_at - now())::float8 * 1000 as "left"
        ${sql.raw(PREPARE)}`.execute(db);
      let isBeyond = false;
      for (const { key, count, left } of counted) {
        const { max } = LIMITS[(tried[keys.indexOf(key)] as AttemptKey).bound];
        if (count > max) isBeyond = true;
        if (count >= max) exhausted.set(key, true, { ttl: Math.max(1, left) });
      }
      if (isBeyond) throw tooMany();
    },
    async refund(db, tried) {
      const keys = tried.map(keyOf);
      for (const key of keys) exhausted.delete(key);
      await sql`
        update attempt set count = count - 1
        from (
          select key from attempt where key = any(${keys}::text[]) and count > 0
          order by key for no key update) as tried
        where attempt.key = tried.key`.execute(db);
    },
  };
}

const tooMany = () => new DomainError('too-many', 'Too many attempts; try again in a quarter of an hour.');

/** Forgets attempts that count no longer. */
export const removeOldAttempts = (db: Db): Promise<unknown> =>
  sql`delete from attempt where expires_at < now()`.execute(db);
