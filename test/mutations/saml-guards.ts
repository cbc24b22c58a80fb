import type { Guard } from './guards.ts';

const VERIFY = ['test/engine/saml/verify.test.ts'];
const ATTACKS = ['test/saml/attacks.test.ts'];
const SIGN_IN = ['test/saml/sign-in.test.ts'];

const XML = 'routers/engine/saml/xml.ts';
const RESPONSE = 'routers/engine/saml/response.ts';
const ASSERTION = 'routers/engine/saml/assertion.ts';
const VERIFIED = 'routers/engine/saml/verify.ts';
const STEPS = 'routers/saml/sign-in.operation.ts';
const IDENTITIES = 'routers/saml/identities.operation.ts';
const REACH = 'routers/access/credential-coverage.ts';
const SSO = 'routers/organizations/sso.operation.ts';

/** Guards of what identity providers say, of how far it reaches, and of who is admitted where SSO is required. */
export const SAML_GUARDS: Guard[] = [
  guard('XML: elements are counted', XML, '++this.#elements > MAX_ELEMENTS', '++this.#elements < 0', ATTACKS),
  guard('XML: depth is limited', XML, 'open.length > MAX_DEPTH', 'open.length < 0', ATTACKS),
  guard(
    'response: nothing rests on SHA-1',
    RESPONSE,
    '  if (allowed.includes(algorithm)) return;',
    '  return;',
    VERIFY,
  ),
  guard(
    'response: a signature signs what it is in',
    RESPONSE,
    "!id || attributeOf(reference, 'URI') !==",
    "false && attributeOf(reference, 'URI') !==",
    VERIFY,
  ),
  guard(
    'response: only transforms that SAML allows',
    RESPONSE,
    '  requireAlgorithm(exclusive, CANONICAL);\n',
    '',
    VERIFY,
  ),
  guard(
    'response: an encrypted one is told as such',
    RESPONSE,
    "name.startsWith('Encrypted')",
    'name.length === 0',
    VERIFY,
  ),
  guard('response: IDs are unique', RESPONSE, 'if (ids.has(value))', 'if (ids.size < 0)', VERIFY),
  guard(
    'response: nothing else stands beside the assertion',
    RESPONSE,
    'root.children.some(({ namespace }) => !IN_RESPONSE.includes(namespace))',
    'root.children.length === 0',
    VERIFY,
  ),
  guard('response: a failure is told', RESPONSE, 'if (value === SUCCESS) return;', 'return;', VERIFY),
  guard('assertion: of the issuer', ASSERTION, 'issuer?.text.trim() !== expected', '!issuer', VERIFY),
  guard(
    'assertion: for this audience',
    ASSERTION,
    'restrictions.length === 0 || !isForUs',
    'restrictions.length === 0',
    VERIFY,
  ),
  guard(
    'assertion: for this recipient',
    ASSERTION,
    "attributeOf(data, 'Recipient') !== expected.recipient",
    'another',
    VERIFY,
  ),
  guard(
    'assertion: answers the request',
    ASSERTION,
    "attributeOf(data, 'InResponseTo') !== expected.request",
    'another',
    VERIFY,
  ),
  guard(
    'assertion: confirmed for its bearer',
    ASSERTION,
    "attributeOf(confirmation, 'Method') === BEARER",
    "confirmation.name !== ''",
    VERIFY,
  ),
  guard(
    'assertion: the confirmation has an end',
    ASSERTION,
    "if (endsAt === undefined) return 'does not say until when it is valid';\n  if (endsAt <= ",
    'if (endsAt !== undefined && endsAt <= ',
    VERIFY,
  ),
  guard('assertion: the confirmation ends', ASSERTION, 'endsAt <= expected.now - SKEW', 'endsAt < 0', VERIFY),
  guard(
    'assertion: conditions end',
    ASSERTION,
    "(timeOf(conditions, 'NotOnOrAfter') ?? now) <= now - SKEW",
    'now < 0',
    VERIFY,
  ),
  guard(
    'assertion: conditions begin',
    ASSERTION,
    "(timeOf(conditions, 'NotBefore') ?? 0) > now + SKEW",
    "timeOf(conditions, 'NotBefore') === 0",
    VERIFY,
  ),
  guard(
    'assertion: conditions are all understood',
    ASSERTION,
    '!conditions.children.every(isKnown)',
    '!conditions.children.every((child) => isKnown(child) || child)',
    VERIFY,
  ),
  guard(
    'assertion: not from before the request',
    ASSERTION,
    'issuedAt < requestedAt - SKEW',
    'issuedAt < 0',
    VERIFY,
  ),
  guard('assertion: not of the future', ASSERTION, 'issuedAt > now + SKEW', 'issuedAt < 0', VERIFY),
  guard(
    'assertion: about somebody who was authenticated',
    ASSERTION,
    'statements.length === 0',
    'statements.length < 0',
    VERIFY,
  ),
  guard(
    'assertion: the NameID stays the same',
    ASSERTION,
    "attributeOf(named, 'Format') === TRANSIENT",
    'named === undefined',
    VERIFY,
  ),
  guard(
    'certificates: expired ones verify nothing',
    VERIFIED,
    'validFromDate.getTime() <= now && now < validToDate.getTime()',
    'validFromDate.getTime() <= now && validToDate.getTime() > 0',
    VERIFY,
  ),
  guard(
    'response: sent to this destination',
    VERIFIED,
    'destination === undefined ? isResponseSigned : destination !== expected.recipient',
    'destination === undefined && isResponseSigned',
    VERIFY,
  ),
  guard(
    'response: each signature is verified',
    VERIFIED,
    'wantAssertionsSigned: isAssertionSigned',
    'wantAssertionsSigned: false',
    VERIFY,
  ),
  guard(
    'sign-in: a request is of its provider',
    STEPS,
    'pending?.data.provider !== provider.id',
    '!pending',
    ATTACKS,
  ),
  guard(
    'sign-in: a request is answered once',
    STEPS,
    'if (!request) throw notAsked();',
    'if (!request) return newSecret();',
    ATTACKS,
  ),
  guard(
    'sign-in: only in the browser that asked',
    STEPS,
    ' && taken.data.browser === hashSecret(kept)',
    '',
    ATTACKS,
  ),
  guard(
    'identity: no account is taken that is no member',
    IDENTITIES,
    ' || user.member === null',
    '',
    ATTACKS,
  ),
  guard(
    'identity: an address must be verified',
    IDENTITIES,
    '!user.verifiedAt && found',
    'user.verifiedAt && found',
    ATTACKS,
  ),
  guard(
    'identity: one NameID for a member',
    IDENTITIES,
    'found.some(({ provider }) => provider === id)',
    'found.length === 0',
    ATTACKS,
  ),
  guard('identity: disabled members stay out', IDENTITIES, '    refuseDisabled(member);\n', '', ATTACKS),
  guard(
    'identity: members are made one at a time',
    IDENTITIES,
    '  await lockOrganizations(db, organization);\n',
    '',
    SIGN_IN,
  ),
  guard(
    'reach: a credential of one organization reaches no other',
    REACH,
    'credential.organization !== null && credential.organization !== organization',
    "credential.organization === ''",
    ATTACKS,
  ),
  guard(
    'reach: lists leave out what is not reached',
    REACH,
    '    coalesce($',
    '    coalesce(true or $',
    ATTACKS,
  ),
  guard(
    'reach: accounts are not for providers',
    REACH,
    '  if (credential.organization !== null)\n',
    '  if (credential.organization === undefined)\n',
    ATTACKS,
  ),
  guard(
    'reach: tokens made by SSO are for its organization',
    'routers/people/users.router.ts',
    '          organization: ctx.actor.credential.organization,\n',
    '',
    ATTACKS,
  ),
  guard('SSO: required of members', REACH, '  if (!sso) throw', '  if (sso === undefined) throw', SIGN_IN),
  guard(
    'SSO: required of sessions',
    REACH,
    "credential.kind === 'session' && credential.organization === null",
    "credential.organization === ''",
    SIGN_IN,
  ),
  guard('SSO: lists leave out what requires it', REACH, 'and (not $', 'and (true or not $', SIGN_IN),
  guard('SSO: an admin has signed in by it', SSO, "and member.role = 'admin' and member.sso", '', SIGN_IN),
  guard(
    'SSO: the admin who leaves does not count',
    SSO,
    'and member.user_id is distinct from',
    'and member.user_id is not distinct from',
    SIGN_IN,
  ),
  guard(
    'SSO: the provider must be active',
    SSO,
    "and saml_provider.entity_id <> '' and saml_provider.certificate <> '' and saml_provider.sso_url <> ''",
    '',
    SIGN_IN,
  ),
  guard('SSO: nobody joins without it', SSO, '  if (found?.sso)\n', '  if (!found)\n', SIGN_IN),
  guard(
    'SSO: sessions end with their provider',
    'routers/saml/saml-providers.router.ts',
    '      await endSessionsOfProvider(ctx.em, { id, organization });\n',
    '',
    SIGN_IN,
  ),
];

function guard(name: string, file: string, find: string, replace: string, tests: string[]): Guard {
  return { name: `SAML ${name}`, file, find, replace, tests };
}
