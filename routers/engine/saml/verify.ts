/** Verifies the response of an identity provider to a request for a sign-in. */

import { X509Certificate } from 'node:crypto';
import { DomainError } from '../errors.ts';
import { checkIssuer, type ExpectedAssertion, readAssertion, type SamlIdentity } from './assertion.ts';
import { checkStructure, rejected, type SignedResponse } from './response.ts';
import { attributeOf, parseXml, type XmlElement, XmlError } from './xml.ts';

export interface SamlResponse extends ExpectedAssertion {
  /** Base64, as it was posted. */
  response: string;
  /** PEM, each of them one that the provider may sign with. */
  certificates: readonly string[];
}

/** Real responses have 5 to 50 kB. */
const MAX_RESPONSE = 256 * 1024;

/**
 * Who signs in. Only what a valid signature covers is read; what the library for it leaves open is checked here, before it
 * parses anything, and of what it says was signed.
 * @throws DomainError `forbidden`, with what is wrong; `invalid` for what is no response at all
 */
export async function verifySamlResponse(given: SamlResponse): Promise<SamlIdentity> {
  const xml = decode(given.response);
  const shape = checkStructure(parse(xml));
  checkEnvelope(shape, given);
  // Only for what is wrong with it: nobody has signed it yet.
  readAssertion(shape.assertion, given);
  const certificates = given.certificates.filter((certificate) => isValidAt(certificate, given.now));
  if (certificates.length === 0)
    throw rejected('cannot be verified, because the certificates of the SAML provider have expired');
  const signed = parse(await signedAssertion(xml, shape, { ...given, certificates }));
  // The library and the checks before it have read the same, with other parsers.
  if (!areEqual(signed, shape.assertion)) throw rejected('is not what was signed');
  return readAssertion(signed, given);
}

/** Whether a response can be verified by one of these at all. */
function isValidAt(certificate: string, now: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  // guard: saml-certificate-validity
  return validFromDate.getTime() <= now && now < validToDate.getTime();
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function decode(base64: string): string {
  const compact = base64.replace(/\s+/g, '');
  const bytes = Buffer.from(compact, 'base64');
  if (!BASE64.test(compact)) throw new DomainError('invalid', 'The SAML response is not valid base64.');
  if (bytes.length > MAX_RESPONSE)
    throw new DomainError('invalid', `The SAML response is longer than ${MAX_RESPONSE / 1024} kB.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DomainError('invalid', 'The SAML response is not valid UTF-8.');
  }
}

function parse(xml: string): XmlElement {
  try {
    return parseXml(xml);
  } catch (error) {
    throw error instanceof XmlError ? rejected(error.message) : error;
  }
}

/** What a response says beside its assertion: it may be signed or not. */
function checkEnvelope({ response, isResponseSigned }: SignedResponse, expected: ExpectedAssertion): void {
  checkIssuer(response, expected.issuer, isResponseSigned);
  const destination = attributeOf(response, 'Destination');
  // guard: saml-destination
  if (destination === undefined ? isResponseSigned : destination !== expected.recipient)
    throw rejected('was sent to another destination');
  if (attributeOf(response, 'InResponseTo') !== expected.request) throw rejected('answers another request');
}

/** The assertion as it was signed. Each signature that there is must be valid. */
async function signedAssertion(
  xml: string,
  { isResponseSigned, isAssertionSigned }: SignedResponse,
  { certificates, audience, recipient, request, requestedAt }: SamlResponse,
): Promise<string> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const saml = new SAML({
    callbackUrl: recipient,
    issuer: audience,
    idpCert: [...certificates],
    wantAuthnResponseSigned: isResponseSigned,
    // guard: saml-assertion-signature
    wantAssertionsSigned: isAssertionSigned,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: singleRequestCache(request, requestedAt),
    // `readAssertion` checks these, of what was signed and for the time that it is given.
    audience: false,
    acceptedClockSkewMs: -1,
    requestIdExpirationPeriodMs: Number.POSITIVE_INFINITY,
  });
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
    .catch((error: unknown) => {
      throw Object.assign(rejected('has no valid signature of the SAML provider'), { cause: error });
    });
  const assertion = profile?.getAssertionXml?.();
  if (!assertion) throw rejected('has no assertion');
  return assertion;
}

/** Knows the one request that may be answered. That it is answered once is for the caller to see to. */
const singleRequestCache = (request: string, requestedAt: number) => ({
  saveAsync: async () => null,
  getAsync: async (key: string) => (key === request ? new Date(requestedAt).toISOString() : null),
  removeAsync: async () => null,
});

/** Whether two readings of one element agree, without its signature. */
function areEqual(one: XmlElement, other: XmlElement): boolean {
  const [children, others] = [one, other].map(({ children }) =>
    children.filter(({ name }) => name !== 'Signature'),
  ) as [XmlElement[], XmlElement[]];
  return (
    one.name === other.name &&
    one.namespace === other.namespace &&
    one.text === other.text &&
    one.attributes.length === other.attributes.length &&
    one.attributes.every(({ name, namespace, value }) =>
      other.attributes.some(
        (attribute) =>
          attribute.name === name && attribute.namespace === namespace && attribute.value === value,
      ),
    ) &&
    children.length === others.length &&
    children.every((child, index) => areEqual(child, others[index] as XmlElement))
  );
}
