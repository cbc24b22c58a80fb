import { createHash, randomBytes } from 'node:crypto';

/** Makes leaked tokens recognizable to people and secret scanners. */
const PREFIX = 'colophon_';

/** A new API token: a prefix and 256 random bits. Shown once; only its hash is stored. */
export const newToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** The form in which a token is stored and looked up: SHA-256 in hex. A token is random, so no salt is needed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
