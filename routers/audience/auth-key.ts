import type { Signer } from '../base/ports.ts';
import { newSecret } from '../base/secrets.ts';

/** The purpose that the signing keys of sites are sealed for. */
const PURPOSE = 'visitor-auth';

/** Makes a key for signing the JWTs of a site's visitors, sealed: 256 random bits, as text, because backends sign with the text. */
export const newAuthKey = (signer: Pick<Signer, 'seal'>): string => signer.seal(PURPOSE, newSecret());

/** Opens a sealed key. */
export const openAuthKey = (signer: Pick<Signer, 'open'>, sealed: string): string =>
  signer.open(PURPOSE, sealed);
