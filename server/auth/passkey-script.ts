import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The browser script that creates and uses passkeys. */
export const PASSKEY_SCRIPT = readFileSync(new URL('passkeys.js', import.meta.url), 'utf8');

/** The path of the script, which changes with its content. */
export const PASSKEY_SCRIPT_PATH = `/auth/passkeys-${hash('sha256', PASSKEY_SCRIPT).slice(0, 12)}.js`;
