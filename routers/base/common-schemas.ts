/** Schemas of values that several features accept or return. */

import { z } from 'zod';
import { DEFAULT_LEVELS, ROLES } from '../../schema/enums.ts';

export const RoleSchema = z.enum(ROLES);
/** A role, or null for a guest. */
export const NullableRole = RoleSchema.nullable();
/** A configured default level: a role, `inherit`, or null for no default access. */
export const DefaultLevelSchema = z.enum(DEFAULT_LEVELS).nullable();

/** A time in the future, such as an expiry. */
export const FutureTime = z.iso
  .datetime({ offset: true })
  .refine((time) => Date.parse(time) > Date.now(), 'must be in the future');

/** The result of a removal for direct callers; the facade turns it into 205 or 204. */
export const Removal = z.object({ removed: z.boolean().describe('Whether there was anything to remove.') });

/**
 * Whether a time is in the usual format of the database, `2026-01-31 12:30:00.123456+00`. Years with more digits, or BC,
 * are left to `Date`.
 */
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
