/** Certificates of identity providers. */

import { X509Certificate } from 'node:crypto';

/** What the API shows of a certificate. */
export interface CertificateInfo {
  subject: string;
  /** SHA-256, as hexadecimal pairs separated by colons. */
  fingerprint: string;
  /** ISO 8601. */
  expiresAt: string;
}

/** Explains in a plain sentence why a text is not a usable certificate. */
export class CertificateError extends Error {}

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END ([A-Z0-9 ]+)-----/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MIN_RSA_BITS = 2048;

/**
 * Parses one or more certificates as PEM, or one as plain base64, as in the metadata of providers.
 * @returns the certificates as PEM, without any text between them
 * @throws CertificateError unless each is an X.509 certificate with an RSA key, and one has not expired
 */
export function normalizeCertificates(given: string, now = Date.now()): string {
  const certificates = bodiesOf(given).map(parse);
  for (const certificate of certificates) checkKey(certificate);
  const [last] = certificates.map(({ validToDate }) => validToDate).sort((a, b) => Number(b) - Number(a));
  // guard: saml-expired-certificate
  if (last && last.getTime() <= now)
    throw new CertificateError(`expired on ${last.toISOString().slice(0, 10)}`);
  return [...new Set(certificates.map(String))].join('');
}

/** Splits normalized certificates into one PEM each. */
export const pemsOf = (pem: string): string[] => [...pem.matchAll(PEM)].map(([block]) => `${block}\n`);

/** Information about each of the normalized certificates, in order. */
export const certificateInfoOf = (pem: string): CertificateInfo[] =>
  pem === ''
    ? []
    : bodiesOf(pem)
        .map(parse)
        .map(({ subject, fingerprint256, validToDate }) => ({
          subject: (subject ?? '').split('\n').join(', '),
          fingerprint: fingerprint256,
          expiresAt: validToDate.toISOString(),
        }));

/** The base64 body of each certificate. */
function bodiesOf(given: string): string[] {
  if (!given.includes('-----')) return [given];
  const blocks = [...given.matchAll(PEM)];
  for (const [, begin, , end] of blocks) {
    if (begin?.endsWith('PRIVATE KEY'))
      throw new CertificateError('contains a private key, which must stay with the identity provider');
    if (begin !== end || begin !== 'CERTIFICATE')
      throw new CertificateError('must only have blocks from BEGIN CERTIFICATE to END CERTIFICATE');
  }
  // guard: saml-cut-certificate
  if (blocks.length === 0 || given.split('-----BEGIN').length - 1 !== blocks.length)
    throw new CertificateError('has an incomplete PEM block');
  return blocks.map(([, , body]) => body ?? '');
}

function parse(body: string): X509Certificate {
  const base64 = body.replace(/\s+/g, '');
  if (!BASE64.test(base64)) throw new CertificateError('must be an X.509 certificate as PEM or base64');
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    throw new CertificateError('is not an X.509 certificate: it cannot be parsed');
  }
}

function checkKey({ publicKey }: X509Certificate): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails } = publicKey;
  // guard: saml-signing-key
  if (type !== 'rsa')
    throw new CertificateError(`has a key of type ${type}, but only RSA keys can verify signatures`);
  const bits = asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  // guard: saml-strong-key
  if (bits < MIN_RSA_BITS)
    throw new CertificateError(`has an RSA key of ${bits} bits, but at least ${MIN_RSA_BITS} are required`);
}
