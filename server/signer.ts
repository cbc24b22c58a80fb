import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../routers/ports.ts';

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
