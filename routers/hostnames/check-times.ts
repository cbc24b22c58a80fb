const HOUR = 3600 * 1000;

/** How long a proved name stays active while its DNS records are wrong, in milliseconds: mistakes can be corrected. */
const GRACE = 7 * 24 * HOUR;

/** Hours from one check of a name to the next. */
export const CHECK_INTERVAL = 24;

/** When a name that is checked now is due for its next check. */
export const nextCheck = (now: Date): Date => new Date(now.getTime() + CHECK_INTERVAL * HOUR);

/** Whether records have been wrong for too long. */
export const isExpired = (failingSince: Date | string, now: Date): boolean =>
  new Date(failingSince).getTime() <= now.getTime() - GRACE;
