/** Codes of authenticator apps (RFC 6238), with the parameters that all apps know. The library is loaded with the first. */

const DIGITS = 6;
const PERIOD = 30;

/** Steps before and after the present one whose codes are taken, for clocks that differ and people who are slow. */
const WINDOW = 1;

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** Whether a text can be a code at all. */
const isTotpCode = (text: string): boolean => /^\d{6}$/.test(text);

/** A new secret in base32. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await import('otpauth');
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What an app reads from a QR code: the secret, and whose it is where. */
export async function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }) {
  const { TOTP } = await import('otpauth');
  return new TOTP({ issuer, label, secret, digits: DIGITS, period: PERIOD }).toString();
}

/** The time step that a code is of; undefined if it is not one of those around a time. */
export async function totpStep(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!isTotpCode(code)) return undefined;
  const { TOTP } = await import('otpauth');
  const totp = new TOTP({ secret, digits: DIGITS, period: PERIOD });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}
