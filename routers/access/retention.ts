/** How long a deleted space can be restored. */
export const RETENTION_DAYS = 7;

/** Whether a space deleted at this time is as good as gone, though the job that removes it has yet to come by. */
export const isExpired = (deletedAt: Date | string, now: number): boolean =>
  new Date(deletedAt).getTime() < now - RETENTION_DAYS * 24 * 3600 * 1000;
