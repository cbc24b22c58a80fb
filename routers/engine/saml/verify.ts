/** Verifies the response of an identity provider to a sign-in request. */

import { X509Certificate } from 'node:crypto';
import { byteLimit } from '../byte-limit.ts';
import { DomainError } from '../errors.ts';
import { checkIssuer, type ExpectedAssertion, readAssertion, type SamlIdentity } from './assertion.ts';
import { checkStructure, rejected, type SignedResponse } from './response.ts';
import { attributeOf, parseXml, type XmlElement, XmlError } from './xml.ts';

export interface SamlResponse extends ExpectedAssertion {
  /** The response in base64, as posted. */
  response: string;
  /** The certificates that the provider may sign with, in PEM. */
  certificates: readonly string[];
}

/** Maximum size in bytes; real responses have 5 to 50 kB. */
const MAX_RESPONSE = 256 * 1024;

/**
 * Verifies a response and returns the identity of the user. Only signed content is used. What the library does not check is
 * checked here, both before the library parses anything and in the content that it reports as signed.
 * @throws DomainError `forbidden` with the reason; `invalid` if it is not a response at all
 */
export async function verifySamlResponse(given: SamlResponse): Promise<SamlIdentity> {
  const xml = decode(given.response);
  const shape = checkStructure(parse(xml));
  checkEnvelope(shape, given);
  // Only for its errors: the content has not been verified yet.
  readAssertion(shape.assertion, given);
  const certificates = given.certificates.filter((certificate) => isValidAt(certificate, given.now));
  if (certificates.length === 0)
    throw rejected('cannot be verified, because the certificates of the SAML provider have expired');
  const signed = parse(await signedAssertion(xml, shape, { ...given, certificates }));
  // The library and the checks before it use different parsers, which must agree.
  if (!areEqual(signed, shape.assertion)) throw rejected('is not what was signed');
  return readAssertion(signed, given);
}

/** Whether a certificate is within its validity period. */
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
    throw new DomainError('invalid', `The SAML response is longer than ${byteLimit(MAX_RESPONSE)}.`);
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

/** Checks the response around the assertion, which may be signed or not. */
function checkEnvelope({ response, isResponseSigned }: SignedResponse, expected: ExpectedAssertion): void {
  checkIssuer(response, expected.issuer, isResponseSigned);
  const destination = attributeOf(response, 'Destination');
  // guard: saml-destination
  if (destination === undefined ? isResponseSigned : destination !== expected.recipient)
    throw rejected('was sent to another destination');
  if (attributeOf(response, 'InResponseTo') !== expected.request) throw rejected('is for another request');
}

/** Verifies all signatures, and returns the assertion as it was signed. */
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
    // `readAssertion` checks these in the signed content, against `now`.
    audience: false,
    acceptedClockSkewMs: -1,
    requestIdExpirationPeriodMs: Number.POSITIVE_INFINITY,
  });
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
    .catch((error: unknown) => {
      throw Object.assign(rejected('has no valid signature by the SAML provider'), { cause: error });
    });
  const assertion = profile?.getAssertionXml?.();
  if (!assertion) throw rejected('has no assertion');
  return assertion;
}

/** A cache that contains only the expected request. The caller must ensure that a request is used only once. */
const singleRequestCache = (request: string, requestedAt: number) => ({
  saveAsync: async () => null,
  getAsync: async (key: string) => (key === request ? new Date(requestedAt).toISOString() : null),
  removeAsync: async () => null,
});

/** Whether two parsed elements are equal, except for their signatures. */
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
