/** How long a deleted space can be restored. */
export const RETENTION_DAYS = 7;

/** Whether a space deleted at this time can no longer be restored, even if the job has not removed it yet. */
export const isExpired = (deletedAt: Date | string, now: number): boolean =>
  new Date(deletedAt).getTime() < now - RETENTION_DAYS * 24 * 3600 * 1000;
