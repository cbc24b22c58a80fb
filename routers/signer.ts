import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs values that clients send back: list cursors, file URLs. */
export interface Signer {
  /** 16 bytes of HMAC-SHA-256 in base64url over the purpose and the text. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

export function createSigner(secret: string): Signer {
  const mac = (purpose: string, text: string) =>
    createHmac('sha256', secret).update(purpose).update('\0').update(text).digest().subarray(0, 16);
  return {
    sign: (purpose, text) => mac(purpose, text).toString('base64url'),
    verify(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      return given.length === 16 && timingSafeEqual(given, mac(purpose, text));
    },
  };
}
