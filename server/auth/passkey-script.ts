import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What makes and uses passkeys in browsers. */
export const PASSKEY_SCRIPT = readFileSync(new URL('passkeys.js', import.meta.url), 'utf8');

/** Its address, which changes with it. */
export const PASSKEY_SCRIPT_PATH = `/auth/passkeys-${hash('sha256', PASSKEY_SCRIPT).slice(0, 12)}.js`;
