/** Schemas of values that several features accept or return. */

import { z } from 'zod';
import { DEFAULT_LEVELS, ROLES } from '../../schema/enums.ts';

export const RoleSchema = z.enum(ROLES);
/** A role, or null for a guest. */
export const NullableRole = RoleSchema.nullable();
/** A configured default level: a role, `inherit`, or null for no default access. */
export const DefaultLevelSchema = z.enum(DEFAULT_LEVELS).nullable();

/** Before and after these, times have years that are not four digits, in the database and in JSON. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** A time with its offset from UTC, where it is in the years 1 to 9999. */
export const Time = z.iso.datetime({ offset: true }).refine((time) => {
  const at = Date.parse(time);
  // What is no time at all is refused for that.
  return !(at < FIRST_TIME || at > LAST_TIME);
}, 'must be in the years 1 to 9999');

/** A time in the future, such as an expiry. */
export const FutureTime = Time.refine((time) => Date.parse(time) > Date.now(), 'must be in the future');

/** The result of a removal for direct callers; the facade turns it into 205 or 204. */
export const Removal = z.object({ removed: z.boolean().describe('Whether there was anything to remove.') });

/** Whether a time is in the usual format of the database, `2026-01-31 12:30:00.123456+00`. */
const isDatabaseFormat = (time: string): boolean =>
  time.length >= 22 && time[4] === '-' && time[10] === ' ' && time.endsWith('+00');

/** Formats a time for the API: ISO 8601 UTC with milliseconds. Takes values of the unit of work or of the driver. */
export function isoTime(time: Date | string): string {
  if (typeof time !== 'string') return time.toISOString();
  if (!isDatabaseFormat(time)) return new Date(time).toISOString();
  // Parsing and formatting dates would take a twentieth of the time of a list.
  const fraction = time.slice(20, Math.min(23, time.length - 3));
  return `${time.slice(0, 10)}T${time.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** The same for an optional time. */
export const optionalTime = (time: Date | string | null | undefined): string | undefined =>
  time ? isoTime(time) : undefined;
