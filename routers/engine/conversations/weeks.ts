const WEEK = 7 * 24 * 3600 * 1000;

/** Weeks that a cluster shows. */
const SHOWN_WEEKS = 13;

/** Counts by the number of the week, from 1970. */
export type WeekCounts = Readonly<Record<string, number>>;

/** The number of the week of a time. */
export const weekOf = (time: Date): number => Math.floor(time.getTime() / WEEK);

/** The counts of the last 13 weeks, the current one last. */
export const lastWeeks = (counts: WeekCounts, now: Date): number[] =>
  Array.from({ length: SHOWN_WEEKS }, (_, index) => counts[weekOf(now) - SHOWN_WEEKS + 1 + index] ?? 0);

/** The counts after changes by week, without those that are never shown again. */
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
