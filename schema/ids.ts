import { randomBytes } from 'node:crypto';
import { ID_ALPHABET, ID_LENGTH } from './json/id.ts';

const TIME_CHARACTERS = 8;

/**
 * Added to the clock so that no id starts with "-", which command lines would read as an option: those of the first
 * 139 years start with "0".
 */
const TIME_OFFSET = 2 ** 42;

/** If the clock is set back by more than this, in milliseconds, ids follow it, instead of staying in the future until it has caught up. */
const MAX_STEP_BACK = 10_000;

let lastTime = 0;
let lastRandom: number[] = [];

/**
 * A new id: 20 URL-safe characters, 48 bits of time in milliseconds followed by 72 random bits. Ids of one process are
 * strictly increasing, even within a millisecond, so that they sort by creation, unless the clock is set back.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastTime || now < lastTime - MAX_STEP_BACK) {
    lastTime = now;
    lastRandom = Array.from(randomBytes(ID_LENGTH - TIME_CHARACTERS), (byte) => byte & 63);
    // Leaves room to count up without overflowing into the time.
    lastRandom[0] = (lastRandom[0] ?? 0) & 31;
  } else {
    increment(lastRandom);
  }
  return encodedTime(lastTime) + lastRandom.map((digit) => ID_ALPHABET.charAt(digit)).join('');
}

function encodedTime(milliseconds: number): string {
  let time = milliseconds + TIME_OFFSET;
  let encoded = '';
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    encoded = ID_ALPHABET.charAt(time % 64) + encoded;
    time = Math.floor(time / 64);
  }
  return encoded;
}

/** A lower bound of the ids created at a time, in milliseconds since 1970, or later: earlier ids are less than it. */
export const beginningOfIds = (milliseconds: number): string => encodedTime(milliseconds);

/** When an id was created, in milliseconds since 1970. */
export const timeOfId = (id: string): number =>
  [...id.slice(0, TIME_CHARACTERS)].reduce((time, digit) => time * 64 + ID_ALPHABET.indexOf(digit), 0) -
  TIME_OFFSET;

/** Adds a random step to the number, so that the next id cannot be guessed from the last. */
function increment(digits: number[]): void {
  let carry = 1 + (randomBytes(4).readUInt32BE() >>> 8);
  for (let i = digits.length - 1; i >= 0 && carry > 0; i--) {
    const sum = (digits[i] ?? 0) + carry;
    digits[i] = sum % 64;
    carry = Math.floor(sum / 64);
  }
}
