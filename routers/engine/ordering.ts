/**
 * Fractional positions: strings of base-62 digits whose byte order is the order of the items. A position is read as the
 * digits after a decimal point, so there is always room between two of them. It never ends in "0", because nothing fits
 * between "a" and "a0".
 */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = DIGITS.length;
const LOWEST = '0';
const HIGHEST = 'z';
const MIDDLE = 'V';

/**
 * Returns a position between two others; null stands for an open end. Undefined if there is no room because the two are
 * equal or out of order: the caller then assigns new positions to the neighbours that share one.
 */
export function positionBetween(before: string | null, after: string | null): string | undefined {
  if (before === null) return after === null ? MIDDLE : positionBefore(after);
  if (after === null) return positionAfter(before);
  return before < after ? midpoint(before, after) : undefined;
}

/** Returns `count` positions between two others, in order; undefined if there is no room. */
export function positionsBetween(
  before: string | null,
  after: string | null,
  count: number,
): string[] | undefined {
  if (count === 0) return [];
  if (after === null || before === null) {
    // One after the other towards the open end, which keeps the positions short.
    const positions: string[] = [];
    for (let i = 0; i < count; i++) {
      const last = positions.at(-1) ?? (after === null ? before : after);
      positions.push(after === null ? positionAfter(last) : positionBefore(last as string));
    }
    return after === null ? positions : positions.reverse();
  }
  const middle = positionBetween(before, after);
  if (middle === undefined) return undefined;
  const left = positionsBetween(before, middle, Math.floor((count - 1) / 2)) as string[];
  const right = positionsBetween(middle, after, Math.ceil((count - 1) / 2)) as string[];
  return [...left, middle, ...right];
}

/**
 * The next position at the end of a list. The number of leading z's determines the number of digits of the counter after
 * them, so that positions have only eight digits after a million insertions at the end.
 */
function positionAfter(position: string | null): string {
  if (position === null) return MIDDLE;
  const head = leading(position, HIGHEST);
  let counter = counterOf(position, head.length);
  do counter = step(counter, 1);
  while (counter.endsWith(LOWEST));
  return head + counter;
}

/** The mirror image, with leading 0's: the next position at the start of a list. */
function positionBefore(position: string): string {
  const head = leading(position, LOWEST);
  let counter = counterOf(position, head.length);
  do counter = step(counter, -1);
  while (counter.endsWith(LOWEST) && !isZero(counter));
  return isZero(counter) ? head + LOWEST + HIGHEST.repeat(head.length + 2) : head + counter;
}

function leading(position: string, digit: string): string {
  let length = 0;
  while (position[length] === digit) length++;
  return position.slice(0, length);
}

const counterOf = (position: string, headLength: number): string =>
  position.slice(headLength, 2 * headLength + 1).padEnd(headLength + 1, LOWEST);

const isZero = (counter: string): boolean => leading(counter, LOWEST) === counter;

/** Adds 1 or -1 to a counter, which is neither all z's nor all 0's. */
function step(counter: string, by: 1 | -1): string {
  const digits = [...counter].map((digit) => DIGITS.indexOf(digit));
  for (let i = digits.length - 1; i >= 0; i--) {
    const sum = (digits[i] as number) + by;
    digits[i] = (sum + BASE) % BASE;
    if (sum >= 0 && sum < BASE) break;
  }
  return digits.map((digit) => DIGITS.charAt(digit)).join('');
}

function midpoint(before: string, after: string): string {
  let shared = 0;
  while ((before[shared] ?? LOWEST) === after[shared]) shared++;
  const prefix = after.slice(0, shared);
  const low = DIGITS.indexOf(before[shared] ?? LOWEST);
  const high = DIGITS.indexOf(after.charAt(shared));
  if (high - low > 1) return prefix + DIGITS.charAt((low + high) >>> 1);
  // Neighbouring digits: the upper one alone if more digits follow it there, else anything after the lower position.
  if (after.length > shared + 1) return prefix + DIGITS.charAt(high);
  return prefix + DIGITS.charAt(low) + positionAfter(before.slice(shared + 1) || null);
}
