/** Which passwords are accepted, after NIST SP 800-63B: by length and commonness, whatever characters they have. */

import { COMMON_PASSWORDS } from './common-passwords.ts';

export const MIN_PASSWORD = 8;
export const MAX_PASSWORD = 256;

/** Longer texts are not processed: a character has at most two UTF-16 units, and few characters shrink when normalized. */
const MAX_GIVEN = MAX_PASSWORD * 4;

/** The form of a password that is hashed, however its characters were typed; undefined if it is too long. */
export function normalizePassword(given: string): string | undefined {
  if (given.length > MAX_GIVEN) return undefined;
  const password = given.normalize('NFKC');
  return [...password].length <= MAX_PASSWORD ? password : undefined;
}

export type PasswordProblem = 'too-short' | 'too-long' | 'too-common' | 'personal';

export const PASSWORD_PROBLEMS: Record<PasswordProblem, string> = {
  'too-short': `must have at least ${MIN_PASSWORD} characters`,
  'too-long': `must have at most ${MAX_PASSWORD} characters`,
  'too-common': 'is one of the most common passwords',
  personal: 'must not be the name or the e-mail address of the user',
};

/** The problem with a new password; undefined if there is none. */
export function passwordProblem(given: string, about: readonly string[] = []): PasswordProblem | undefined {
  const password = normalizePassword(given);
  if (password === undefined) return 'too-long';
  if ([...password].length < MIN_PASSWORD) return 'too-short';
  const folded = password.toLowerCase();
  if (COMMON_PASSWORDS.has(folded) || isRepetitive(folded)) return 'too-common';
  const own = about.flatMap((text) => [text, text.split('@')[0] ?? '']).map((text) => text.toLowerCase());
  return own.includes(folded) ? 'personal' : undefined;
}

/** Whether all characters are equal, or each is the successor, or each the predecessor, of the one before. */
function isRepetitive(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) as number);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  return Math.abs(step) <= 1 && codes.every((code, i) => i === 0 || code - (codes[i - 1] as number) === step);
}
