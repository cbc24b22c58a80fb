/** Validates the signed assertion of a sign-in, and reads the identity of the user from it. */

import { ASSERTION, BEARER, EMAIL_ADDRESS, ENTITY, TRANSIENT } from './names.ts';
import { rejected } from './response.ts';
import { attributeOf, childrenOf, type XmlElement } from './xml.ts';

/** The identity of a user as asserted by an identity provider. */
export interface SamlIdentity {
  /** The persistent identifier of the user at the provider. */
  nameId: string;
  email?: string | undefined;
  displayName?: string | undefined;
  /** When the session at the provider ends, in milliseconds since 1970, if specified. */
  endsAt?: number | undefined;
}

/** The values that an assertion must have. */
export interface ExpectedAssertion {
  /** The entity id of the identity provider. */
  issuer: string;
  /** The entity id of this service. */
  audience: string;
  /** The URL that responses are sent to. */
  recipient: string;
  /** The ID of the request that it responds to, and when it was made, in milliseconds since 1970. */
  request: string;
  requestedAt: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** Maximum clock skew of a provider, in milliseconds. */
const CLOCK_SKEW = 60_000;

/** The maximum length of persistent identifiers in the SAML specification. */
const MAX_NAME_ID = 256;
const MAX_ATTRIBUTE = 1000;

const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];
const NAME_ATTRIBUTES = [
  'displayname',
  'name',
  'cn',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
];

/** @throws DomainError `forbidden` if the assertion is not as expected */
export function readAssertion(assertion: XmlElement, expected: ExpectedAssertion): SamlIdentity {
  if (attributeOf(assertion, 'Version') !== '2.0') throw rejected('has no SAML 2.0 assertion');
  checkIssuer(assertion, expected.issuer);
  checkAge(assertion, expected);
  const subject = onlyChild(assertion, 'Subject');
  checkConfirmation(subject, expected);
  checkConditions(onlyChild(assertion, 'Conditions'), expected);
  const named = onlyChild(subject, 'NameID');
  const attributes = attributesOf(assertion);
  const nameId = nameIdOf(named);
  const isAddress = attributeOf(named, 'Format') === EMAIL_ADDRESS;
  return {
    nameId,
    email: onlyValue(attributes, EMAIL_ATTRIBUTES) ?? (isAddress ? nameId : undefined),
    displayName: onlyValue(attributes, NAME_ATTRIBUTES),
    endsAt: checkStatements(assertion, expected.now),
  };
}

/** @throws DomainError `forbidden` for a different issuer, or for none if it is required */
export function checkIssuer(element: XmlElement, expected: string, isRequired = true): void {
  const [issuer, another] = childrenOf(element, ASSERTION, 'Issuer');
  if (!issuer && !isRequired) return;
  const format = issuer && attributeOf(issuer, 'Format');
  // guard: saml-issuer
  if (another || issuer?.text.trim() !== expected || (format ?? ENTITY) !== ENTITY)
    throw rejected('was not issued by the entity configured for the SAML provider');
}

function onlyChild(element: XmlElement, name: string): XmlElement {
  const [child, another] = childrenOf(element, ASSERTION, name);
  if (!child || another) throw rejected(`must have exactly one ${name} in its assertion`);
  return child;
}

function checkAge(assertion: XmlElement, { requestedAt, now }: ExpectedAssertion): void {
  const issuedAt = timeOf(assertion, 'IssueInstant');
  if (issuedAt === undefined) throw rejected('does not say when it was issued');
  // guard: saml-issued-in-future
  if (issuedAt > now + CLOCK_SKEW) throw rejected('was issued in the future: check the clocks');
  // guard: saml-issued-after-request
  if (issuedAt < requestedAt - CLOCK_SKEW) throw rejected('was issued before it was requested');
}

function checkConfirmation(subject: XmlElement, expected: ExpectedAssertion): void {
  const confirmations = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(
    // guard: saml-bearer
    (confirmation) => attributeOf(confirmation, 'Method') === BEARER,
  );
  if (confirmations.length === 0) throw rejected('has no bearer confirmation');
  const problems = confirmations.map((confirmation) => problemOf(confirmation, expected));
  const [problem] = problems;
  if (problem && !problems.includes(undefined)) throw rejected(problem);
}

/** Returns why a subject confirmation is invalid; undefined if it is valid. */
function problemOf(confirmation: XmlElement, expected: ExpectedAssertion): string | undefined {
  const [data, another] = childrenOf(confirmation, ASSERTION, 'SubjectConfirmationData');
  if (!data || another) return 'has a confirmation without data';
  // guard: saml-recipient
  if (attributeOf(data, 'Recipient') !== expected.recipient) return 'is for another recipient';
  // guard: saml-in-response-to
  if (attributeOf(data, 'InResponseTo') !== expected.request) return 'is for another request';
  const endsAt = timeOf(data, 'NotOnOrAfter');
  // guard: saml-confirmation-end-given
  if (endsAt === undefined) return 'does not say when it expires';
  // guard: saml-confirmation-end
  if (endsAt <= expected.now - CLOCK_SKEW) return 'has expired';
  if ((timeOf(data, 'NotBefore') ?? 0) > expected.now + CLOCK_SKEW) return 'is not valid yet';
  return undefined;
}

const KNOWN_CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

function checkConditions(conditions: XmlElement, { now, audience }: ExpectedAssertion): void {
  // guard: saml-conditions-begin
  if ((timeOf(conditions, 'NotBefore') ?? 0) > now + CLOCK_SKEW) throw rejected('is not valid yet');
  // guard: saml-conditions-end
  if ((timeOf(conditions, 'NotOnOrAfter') ?? now) <= now - CLOCK_SKEW) throw rejected('has expired');
  const isKnown = ({ name, namespace }: XmlElement) =>
    namespace === ASSERTION && KNOWN_CONDITIONS.includes(name);
  // guard: saml-conditions-known
  if (!conditions.children.every(isKnown)) throw rejected('has an unknown condition');
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = restrictions.every((restriction) =>
    childrenOf(restriction, ASSERTION, 'Audience').some(({ text }) => text.trim() === audience),
  );
  // guard: saml-audience
  if (restrictions.length === 0 || !isForUs) throw rejected('is for another audience');
}

/** Returns when the session at the provider ends, from the authentication statements. */
function checkStatements(assertion: XmlElement, now: number): number | undefined {
  const statements = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  // guard: saml-authn-statement
  if (statements.length === 0) throw rejected('does not say that the user was authenticated');
  const ends = statements.flatMap((statement) => timeOf(statement, 'SessionNotOnOrAfter') ?? []);
  const [endsAt] = ends.sort((one, other) => one - other);
  if (endsAt !== undefined && endsAt <= now) throw rejected('is for a session that has ended');
  return endsAt;
}

function nameIdOf(named: XmlElement): string {
  // guard: saml-stable-name-id
  if (attributeOf(named, 'Format') === TRANSIENT)
    throw rejected(
      'has a transient NameID: configure the provider to send a persistent one or the e-mail address',
    );
  const nameId = named.text.trim();
  if (nameId === '' || nameId.length > MAX_NAME_ID || named.children.length > 0)
    throw rejected(`must have a NameID of 1 to ${MAX_NAME_ID} characters`);
  return nameId;
}

/** The values of attributes by name and by friendly name, in lower case. */
function attributesOf(assertion: XmlElement): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const statement of childrenOf(assertion, ASSERTION, 'AttributeStatement'))
    for (const attribute of childrenOf(statement, ASSERTION, 'Attribute'))
      for (const name of [attributeOf(attribute, 'Name'), attributeOf(attribute, 'FriendlyName')]) {
        if (name === undefined) continue;
        const values = found.get(name.toLowerCase()) ?? new Set();
        for (const { text } of childrenOf(attribute, ASSERTION, 'AttributeValue'))
          if (text.trim() !== '') values.add(text.trim());
        found.set(name.toLowerCase(), values);
      }
  return found;
}

/** The value of the first of these attributes that has exactly one. */
function onlyValue(attributes: Map<string, Set<string>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [value, another] = attributes.get(name) ?? [];
    if (value !== undefined && another === undefined && value.length <= MAX_ATTRIBUTE) return value;
  }
  return undefined;
}

/** Matches times in SAML, which are in UTC. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Parses the time in an attribute, in milliseconds since 1970; undefined if the attribute is absent. */
function timeOf(element: XmlElement, name: string): number | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  const time = TIME.test(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) : Number.NaN;
  if (Number.isNaN(time)) throw rejected(`has an invalid time in ${name}`);
  return time;
}
