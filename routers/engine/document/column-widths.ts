import type { Block } from './document.ts';

/** The least share of the width that a column without a width gets, in percent. */
const MIN_SHARE = 10;

/** The widths of columns, in percent of one another; columns without a width share what the others leave. */
export function columnWidths(columns: readonly Block[]): number[] {
  const given = columns.map(({ data }) => percentOf(data?.width));
  const known = given.filter((width) => width !== undefined);
  const taken = known.reduce((sum, width) => sum + width, 0);
  const share = Math.max(MIN_SHARE, (100 - taken) / (given.length - known.length));
  return given.map((width) => Math.round(width ?? share));
}

/** A width is a number, or has a unit. */
function percentOf(width: unknown): number | undefined {
  const { value, unit } = (typeof width === 'object' && width !== null ? width : { value: width }) as {
    value?: unknown;
    unit?: unknown;
  };
  const isShare = typeof value === 'number' && value >= 1 && value <= 100;
  return isShare && (unit === undefined || unit === '%') ? value : undefined;
}
