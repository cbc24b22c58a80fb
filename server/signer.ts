import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Signer } from '../routers/base/ports.ts';

/** Lengths of the nonce and the tag of AES-256-GCM, in bytes. */
const NONCE = 12;
const TAG = 16;

/**
 * Signs and encrypts with keys derived from the secret of the installation, a different one for each purpose.
 * @param replaced earlier secrets: what they signed is invalid, but what they encrypted can be decrypted
 */
export function createSigner(secret: string, replaced: readonly string[] = []): Signer {
  const mac = (purpose: string, text: string) =>
    createHmac('sha256', secret).update(purpose).update('\0').update(text).digest().subarray(0, 16);
  const derive = (info: string, from = secret) => Buffer.from(hkdfSync('sha256', from, '', info, 32));
  const keyFor = (purpose: string, from = secret) => derive(`seal:${purpose}`, from);
  const tokenKeys = new Map<string, KeyObject>();
  return {
    sign: (purpose, text) => mac(purpose, text).toString('base64url'),
    verify(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      return given.length === 16 && timingSafeEqual(given, mac(purpose, text));
    },
    seal(purpose, text) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce);
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const failures: unknown[] = [];
      for (const one of [secret, ...replaced]) {
        try {
          return decrypt(bytes, keyFor(purpose, one));
        } catch (error) {
          failures.push(error);
        }
      }
      throw new Error('What is stored encrypted was not encrypted by this installation, or is damaged.', {
        cause: failures[0],
      });
    },
    key(purpose) {
      let key = tokenKeys.get(purpose);
      if (!key) {
        key = createSecretKey(derive(`token:${purpose}`));
        tokenKeys.set(purpose, key);
      }
      return key;
    },
  };
}

function decrypt(sealed: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  return decipher.update(sealed.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
}
