import { SignedXml } from 'xml-crypto';
import type { Signer } from './certificates.ts';

/** The parts of a SAML response; each can be replaced to create a response that must be rejected. */
export interface ResponseParts {
  issuer: string;
  audience: string;
  recipient: string;
  destination: string;
  request: string;
  now: number;
  nameId: string;
  format?: string;
  attributes?: Record<string, string | string[]>;
  /** Which elements are signed. */
  signed?: ('Response' | 'Assertion')[];
  signatureAlgorithm?: string;
  digestAlgorithm?: string;
  transforms?: string[];
  /** Changes the text before it is signed. */
  before?: (xml: string) => string;
}

const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

const at = (now: number, seconds: number) => new Date(now + seconds * 1000).toISOString();

const attributeXml = (name: string, values: string | string[]) =>
  `<saml:Attribute Name="${name}">${[values]
    .flat()
    .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
    .join('')}</saml:Attribute>`;

/** The XML of a response, signed as `parts` specifies. */
export function responseXml(parts: ResponseParts, signer: Signer): string {
  const { issuer, audience, recipient, destination, request, now, nameId } = parts;
  const format = parts.format ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
  const attributes = Object.entries(parts.attributes ?? { email: 'ann@login.example' });
  const assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion" Version="2.0" IssueInstant="${at(now, 0)}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">${nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${request}" NotOnOrAfter="${at(now, 300)}" Recipient="${recipient}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(now, 0)}" NotOnOrAfter="${at(now, 300)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(now, 0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.map(([name, values]) => attributeXml(name, values)).join('')}</saml:AttributeStatement></saml:Assertion>`;
  const plain = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_response" Version="2.0" IssueInstant="${at(now, 0)}" Destination="${destination}" InResponseTo="${request}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`;
  const xml = parts.before?.(plain) ?? plain;
  return (parts.signed ?? ['Assertion']).reduce(
    (unsigned, element) => sign(unsigned, element, signer, parts),
    xml,
  );
}

/** Signs the first element with this name. */
export function sign(
  xml: string,
  element: string,
  { key, certificate }: Signer,
  { signatureAlgorithm, digestAlgorithm, transforms }: Partial<ResponseParts> = {},
): string {
  const signing = new SignedXml({
    privateKey: key,
    publicCert: certificate,
    signatureAlgorithm: signatureAlgorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  const path = `//*[local-name(.)='${element}']`;
  signing.addReference({
    xpath: path,
    transforms: transforms ?? [ENVELOPED, EXCLUSIVE],
    digestAlgorithm: digestAlgorithm ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  signing.computeSignature(xml, {
    location: { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signing.getSignedXml();
}

export const base64 = (xml: string): string => Buffer.from(xml).toString('base64');
