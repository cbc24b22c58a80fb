const DAY = 24 * 3600 * 1000;
const WEEK = 7 * DAY;

/** 1970 began on a Thursday, three days after the start of its week. */
const EPOCH_IN_WEEK = 3 * DAY;

/** The number of weeks for which a cluster has counts. */
const SHOWN_WEEKS = 13;

/** Counts by week number. */
export type WeekCounts = Readonly<Record<string, number>>;

/** The number of the week of a time: weeks begin on Monday, in UTC, and 1970 began in week 0. */
export const weekOf = (time: Date): number => Math.floor((time.getTime() + EPOCH_IN_WEEK) / WEEK);

/** The counts of the last 13 weeks, the current one last. */
export const lastWeeks = (counts: WeekCounts, now: Date): number[] =>
  Array.from({ length: SHOWN_WEEKS }, (_, index) => counts[weekOf(now) - SHOWN_WEEKS + 1 + index] ?? 0);

/** Applies changes to the counts by week, and drops weeks that are too old to be shown. */
export function applyWeekChanges(
  counts: WeekCounts,
  changes: readonly { week: number; by: number }[],
  now: Date,
): WeekCounts {
  const changed = new Map(Object.entries(counts));
  for (const { week, by } of changes) changed.set(String(week), (changed.get(String(week)) ?? 0) + by);
  const oldest = weekOf(now) - SHOWN_WEEKS + 1;
  return Object.fromEntries([...changed].filter(([week, count]) => count > 0 && Number(week) >= oldest));
}
