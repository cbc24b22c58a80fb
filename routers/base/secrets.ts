import { hash, randomBytes } from 'node:crypto';

/** A new random secret in base64url, of 256 bits unless a shorter one is needed, such as in an address. */
export const newSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** The hash by which a secret is stored and looked up: SHA-256 in hex. Secrets are random, so no salt is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret);
