/** Numbers and dates in content, as its readers write them. */

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Formats a number of bytes. */
export function formatBytes(bytes: number, locale: string): string {
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = UNITS[step] as string;
  // The short name of the byte has no plural.
  const unitDisplay = step === 0 ? 'long' : 'short';
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay,
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1000 ** step);
}

export const formatNumber = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale).format(value);

/** Formats a date without a time. */
export const formatDate = (date: Date, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
