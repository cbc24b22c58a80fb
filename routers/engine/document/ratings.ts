const DEFAULT_STARS = 5;
const MAX_STARS = 10;

/** A rating in full stars: how many there are, and of how many. */
export interface Rating {
  stars: number;
  of: number;
}

/** The rating that a cell shows. Both the value and the `max` of its column may be anything that was stored. */
export function ratingOf(value: unknown, max: unknown): Rating {
  const of = Math.min(MAX_STARS, starsIn(max ?? DEFAULT_STARS));
  return { stars: Math.min(of, starsIn(value)), of };
}

/** The stars as characters. */
export const starsOf = ({ stars, of }: Rating): string => '★'.repeat(stars) + '☆'.repeat(of - stars);

const starsIn = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Math.max(0, Math.round(Number(value)) || 0) : 0;
