import { InvalidArgumentError } from 'commander';

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const DURATION = /^(\d{1,5})([mhdw])$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses when something expires: a duration from `now` (`45m`, `12h`, `30d`, `2w`), an ISO time with its offset, or an ISO
 * date, meaning the start of that day in UTC.
 * @param now milliseconds since 1970
 * @returns ISO 8601 in UTC; undefined if the text is not valid or the time is past
 */
export function resolveExpiry(text: string, now: number): string | undefined {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const time = count ? now + Number(count) * (UNITS[unit] ?? 0) : parseInstant(text);
  return time > now ? new Date(time).toISOString() : undefined;
}

/** Milliseconds since 1970; NaN for an invalid time, such as 31 February. */
function parseInstant(text: string): number {
  if (!DATE.test(text) && !TIME.test(text)) return Number.NaN;
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00Z`);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return exists ? Date.parse(text) : Number.NaN;
}

/** Parses an expiry as an argument of a command. */
export function parseExpiry(text: string): string {
  const expiry = resolveExpiry(text, Date.now());
  if (!expiry)
    throw new InvalidArgumentError('Use a duration such as 30d or 12h, or an ISO date in the future.');
  return expiry;
}
