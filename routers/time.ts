/** A time as the API shows it: ISO 8601 UTC with milliseconds. Takes what the unit of work or the driver gives. */
export const isoTime = (time: Date | string): string =>
  (typeof time === 'string' ? new Date(time) : time).toISOString();

/** The same for a time that may be absent. */
export const optionalTime = (time: Date | string | null | undefined): string | undefined =>
  time ? isoTime(time) : undefined;
