import { randomBytes } from 'node:crypto';
import type { Signer } from '../base/ports.ts';

/** What the signing keys of sites are sealed for. */
const PURPOSE = 'visitor-auth';

/** A new key to sign the visitors of a site with, sealed: 256 random bits, as text because its text is what signs. */
export const newAuthKey = (signer: Pick<Signer, 'seal'>): string =>
  signer.seal(PURPOSE, randomBytes(32).toString('base64url'));

/** The key as backends sign with it. */
export const openAuthKey = (signer: Pick<Signer, 'open'>, sealed: string): string =>
  signer.open(PURPOSE, sealed);
