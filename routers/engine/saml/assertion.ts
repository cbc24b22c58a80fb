/** What an assertion must say for a sign-in, and what it says of who signs in. Only what is signed is read. */

import { ASSERTION, BEARER, EMAIL_ADDRESS, ENTITY, TRANSIENT } from './names.ts';
import { rejected } from './response.ts';
import { attributeOf, childrenOf, type XmlElement } from './xml.ts';

/** Who signs in, as an identity provider says. */
export interface SamlIdentity {
  /** What the provider names them by, which stays the same. */
  nameId: string;
  email?: string | undefined;
  displayName?: string | undefined;
  /** When the provider ends their session, in milliseconds since 1970, if it says. */
  endsAt?: number | undefined;
}

/** Which assertion is expected. */
export interface ExpectedAssertion {
  /** The entity id of the identity provider. */
  issuer: string;
  /** The entity id of this service. */
  audience: string;
  /** Where responses are sent to. */
  recipient: string;
  /** The ID of the request that it answers, and when that was made. */
  request: string;
  requestedAt: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** How far the clock of a provider may be off, in milliseconds. */
const CLOCK_SKEW = 60_000;

/** As long as the specification allows persistent identifiers to be. */
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

/** @throws DomainError `forbidden` for any assertion but the one that is expected */
export function readAssertion(assertion: XmlElement, expected: ExpectedAssertion): SamlIdentity {
  if (attributeOf(assertion, 'Version') !== '2.0') throw rejected('has no assertion of SAML 2.0');
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

/** @throws DomainError `forbidden` for another issuer; a response may have none, an assertion must have one. */
export function checkIssuer(element: XmlElement, expected: string, isRequired = true): void {
  const [issuer, another] = childrenOf(element, ASSERTION, 'Issuer');
  if (!issuer && !isRequired) return;
  const format = issuer && attributeOf(issuer, 'Format');
  // guard: saml-issuer
  if (another || issuer?.text.trim() !== expected || (format ?? ENTITY) !== ENTITY)
    throw rejected('was not issued by the entity that the SAML provider names');
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
  if (issuedAt > now + CLOCK_SKEW) throw rejected('was issued in the future: compare the clocks');
  // guard: saml-issued-after-request
  if (issuedAt < requestedAt - CLOCK_SKEW) throw rejected('was issued before it was asked for');
}

function checkConfirmation(subject: XmlElement, expected: ExpectedAssertion): void {
  const confirmations = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(
    // guard: saml-bearer
    (confirmation) => attributeOf(confirmation, 'Method') === BEARER,
  );
  if (confirmations.length === 0) throw rejected('has no confirmation for whoever brings it (bearer)');
  const problems = confirmations.map((confirmation) => problemOf(confirmation, expected));
  const [problem] = problems;
  if (problem && !problems.includes(undefined)) throw rejected(problem);
}

/** Why a confirmation does not confirm; undefined if it does. */
// guard: saml-confirmation-end-given
function problemOf(confirmation: XmlElement, expected: ExpectedAssertion): string | undefined {
  const [data, another] = childrenOf(confirmation, ASSERTION, 'SubjectConfirmationData');
  if (!data || another) return 'has a confirmation without data';
  // guard: saml-recipient
  if (attributeOf(data, 'Recipient') !== expected.recipient) return 'is for another recipient';
  // guard: saml-in-response-to
  if (attributeOf(data, 'InResponseTo') !== expected.request) return 'answers another request';
  const endsAt = timeOf(data, 'NotOnOrAfter');
  if (endsAt === undefined) return 'does not say until when it is valid';
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
  if (!conditions.children.every(isKnown)) throw rejected('has a condition that is not understood');
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = restrictions.every((restriction) =>
    childrenOf(restriction, ASSERTION, 'Audience').some(({ text }) => text.trim() === audience),
  );
  // guard: saml-audience
  if (restrictions.length === 0 || !isForUs) throw rejected('is for another audience');
}

/** When the provider ends the session, by the statement of how the user was authenticated. */
function checkStatements(assertion: XmlElement, now: number): number | undefined {
  const statements = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  // guard: saml-authn-statement
  if (statements.length === 0) throw rejected('does not say that the user was authenticated');
  const ends = statements.flatMap((statement) => timeOf(statement, 'SessionNotOnOrAfter') ?? []);
  const [endsAt] = ends.sort((one, other) => one - other);
  if (endsAt !== undefined && endsAt <= now) throw rejected('is about a session that has ended');
  return endsAt;
}

function nameIdOf(named: XmlElement): string {
  // guard: saml-stable-name-id
  if (attributeOf(named, 'Format') === TRANSIENT)
    throw rejected(
      'has a NameID for one session only: let the provider send a persistent one, or the e-mail address',
    );
  const nameId = named.text.trim();
  if (nameId === '' || nameId.length > MAX_NAME_ID || named.children.length > 0)
    throw rejected(`must have a NameID of 1 to ${MAX_NAME_ID} characters`);
  return nameId;
}

/** The values of each attribute by its name, and by its friendly name, in lower case. */
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

/** The value of the first of some attributes that has one, and no other. */
function onlyValue(attributes: Map<string, Set<string>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [value, another] = attributes.get(name) ?? [];
    if (value !== undefined && another === undefined && value.length <= MAX_ATTRIBUTE) return value;
  }
  return undefined;
}

/** Times of SAML are in UTC. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** The time in an attribute, in milliseconds since 1970; undefined without the attribute. */
function timeOf(element: XmlElement, name: string): number | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  const time = TIME.test(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) : Number.NaN;
  if (Number.isNaN(time)) throw rejected(`has a time in ${name} that is not one of SAML`);
  return time;
}
