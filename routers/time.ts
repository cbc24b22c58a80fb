/** As the database writes nearly every time. Years of more digits, or before our era, are for `Date` to read. */
const UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/** A time as the API shows it: ISO 8601 UTC with milliseconds. Takes what the unit of work or the driver gives. */
export function isoTime(time: Date | string): string {
  if (typeof time !== 'string') return time.toISOString();
  // Reading and writing dates is a twentieth of what a list takes.
  const [, date, clock, fraction = ''] = UTC.exec(time) ?? [];
  return date ? `${date}T${clock}.${fraction.padEnd(3, '0')}Z` : new Date(time).toISOString();
}

/** The same for a time that may be absent. */
export const optionalTime = (time: Date | string | null | undefined): string | undefined =>
  time ? isoTime(time) : undefined;
