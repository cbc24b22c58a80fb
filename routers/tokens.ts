import { hash, randomBytes } from 'node:crypto';

/** Recognizable wherever it leaks to, for people and for secret scanners. */
const PREFIX = 'colophon_';

/** A new API token: a prefix and 256 random bits. Shown once; only its hash is kept. */
export const newToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** The form in which a token is kept and looked up: SHA-256 in hex. A token is random, so no salt is needed. */
export const hashToken = (token: string): string => hash('sha256', token);
