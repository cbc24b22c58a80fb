/** Values that several chapters accept or return. */

import { z } from 'zod';
import { DEFAULT_LEVELS, ROLES } from '../schema/enums.ts';

export const RoleSchema = z.enum(ROLES);
/** A role, or null for a guest. */
export const NullableRole = RoleSchema.nullable();
/** A default level as set: a role, `inherit`, or null for no default access. */
export const DefaultLevelSchema = z.enum(DEFAULT_LEVELS).nullable();

/** The result of a removal for direct callers; the facade turns it into 205 or 204. */
export const Removal = z.object({ removed: z.boolean() });

/** The usual format of the database. Years with more digits, or BC, are left to `Date`. */
const UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/** A time as in the API: ISO 8601 UTC with milliseconds. Takes values of the unit of work or the driver. */
export function isoTime(time: Date | string): string {
  if (typeof time !== 'string') return time.toISOString();
  // Parsing and formatting dates would be a twentieth of the time of a list.
  const [, date, clock, fraction = ''] = UTC.exec(time) ?? [];
  return date ? `${date}T${clock}.${fraction.padEnd(3, '0')}Z` : new Date(time).toISOString();
}

/** The same for an optional time. */
export const optionalTime = (time: Date | string | null | undefined): string | undefined =>
  time ? isoTime(time) : undefined;
