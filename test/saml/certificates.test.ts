import { expect, test } from 'vitest';
import { certificateInfoOf, normalizeCertificates } from '../../routers/saml/certificates.ts';
import { CERTIFICATES } from '../helpers/identity-provider.ts';

test('certificates that have all expired are refused with the date', () => {
  const both = CERTIFICATES.rsa + CERTIFICATES.next;
  const [expiresAt = ''] = certificateInfoOf(both)
    .map((facts) => facts.expiresAt)
    .sort()
    .reverse();
  expect(normalizeCertificates(both, Date.parse(expiresAt) - 1)).toBe(both);
  expect(() => normalizeCertificates(both, Date.parse(expiresAt))).toThrow(
    `expired on ${expiresAt.slice(0, 10)}`,
  );
});
