const HOUR = 3600 * 1000;

/** How long what was proved stays so while its DNS records are wrong, in milliseconds: mistakes can be mended. */
const GRACE = 7 * 24 * HOUR;

/** Hours from one check of a name to the next. */
export const CHECK_INTERVAL = 24;

/** When a name that is checked now is due again. */
export const nextCheck = (now: Date): Date => new Date(now.getTime() + CHECK_INTERVAL * HOUR);

/** Whether records have been wrong for too long. */
export const isExpired = (failingSince: Date | string, now: Date): boolean =>
  new Date(failingSince).getTime() <= now.getTime() - GRACE;
