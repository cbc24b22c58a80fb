/** Codes of authenticator apps (RFC 6238), with the parameters that all apps support. The library is loaded on first use. */

const DIGITS = 6;
const PERIOD = 30;

/** How many steps before and after the current one are accepted, for clocks that differ and people who are slow. */
const WINDOW = 1;

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** Whether a text has the form of a code. */
const isTotpCode = (text: string): boolean => /^\d{6}$/.test(text);

/** Makes a secret, in base32. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await import('otpauth');
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The URI that an app reads from a QR code: the secret, the service and the user. */
export async function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }) {
  const { TOTP } = await import('otpauth');
  return new TOTP({ issuer, label, secret, digits: DIGITS, period: PERIOD }).toString();
}

/** The time step of a code; undefined unless the code is valid around a time, given in milliseconds. */
export async function totpStep(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!isTotpCode(code)) return undefined;
  const { TOTP } = await import('otpauth');
  const totp = new TOTP({ secret, digits: DIGITS, period: PERIOD });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}
