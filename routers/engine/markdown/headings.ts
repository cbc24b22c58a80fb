/** How many `#` a heading has in Markdown, where the first level is the page's title. */
const DEEPEST = 3;

/** The type of a heading with so many `#`; documents know three levels below the page's title. */
export const headingType = (level: number): string => `heading-${Math.min(DEEPEST, Math.max(1, level - 1))}`;

/** How many `#` a heading of a type has: as many as it was written with, if those still give the type. */
export function markdownLevel(type: string, written: number | undefined): number {
  if (written !== undefined && written >= 1 && written <= 6 && headingType(written) === type) return written;
  return Math.min(DEEPEST, Math.max(1, Number(type.slice('heading-'.length)) || 1)) + 1;
}
