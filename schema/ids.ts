import { randomBytes } from 'node:crypto';
import { ID_ALPHABET, ID_LENGTH } from './json/id.ts';

const TIME_CHARACTERS = 8;

/**
 * Added to the clock so that no id starts with "-", which command lines would read as an option: those of the first
 * 139 years start with "0".
 */
const TIME_OFFSET = 2 ** 42;

let lastTime = 0;
let lastRandom: number[] = [];

/**
 * A new id: 20 URL-safe characters, 48 bits of time in milliseconds followed by 72 random bits. Ids of one process are
 * strictly increasing, even within a millisecond, so that they sort by creation.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastTime) {
    lastTime = now;
    lastRandom = Array.from(randomBytes(ID_LENGTH - TIME_CHARACTERS), (byte) => byte & 63);
    // Room to count upwards without overflow into the time.
    lastRandom[0] = (lastRandom[0] ?? 0) & 31;
  } else {
    increment(lastRandom);
  }
  let time = lastTime + TIME_OFFSET;
  let encodedTime = '';
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    encodedTime = ID_ALPHABET.charAt(time % 64) + encodedTime;
    time = Math.floor(time / 64);
  }
  return encodedTime + lastRandom.map((digit) => ID_ALPHABET.charAt(digit)).join('');
}

/** Adds a random step to the number, so that the next id cannot be guessed from the last. */
function increment(digits: number[]): void {
  let carry = 1 + (randomBytes(4).readUInt32BE() >>> 8);
  for (let i = digits.length - 1; i >= 0 && carry > 0; i--) {
    const sum = (digits[i] ?? 0) + carry;
    digits[i] = sum % 64;
    carry = Math.floor(sum / 64);
  }
}
