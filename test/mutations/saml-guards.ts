import { guard } from './guard.ts';
import { always, at, becomes, never, replace } from './mutations.ts';

const VERIFY = ['test/engine/saml/verify.test.ts', 'test/engine/saml/signature-wrapping.test.ts'];
const ATTACKS = ['test/saml/attacks.test.ts'];
const SIGN_IN = ['test/saml/sign-in.test.ts'];

/** Guards of what identity providers say, of how far it reaches, and of who is admitted where SSO is required. */
export const SAML_GUARDS = [
  guard('saml-xml-elements', 'SAML XML: elements are counted', ATTACKS),
  guard('saml-xml-depth', 'SAML XML: depth is limited', ATTACKS),
  guard('saml-no-sha1', 'SAML response: nothing rests on SHA-1', VERIFY, always),
  guard('saml-signature-reference', 'SAML response: a signature signs what it is in', VERIFY),
  guard('saml-transforms', 'SAML response: only transforms that SAML allows', VERIFY),
  guard('saml-encrypted', 'SAML response: an encrypted one is told as such', VERIFY),
  guard('saml-unique-ids', 'SAML response: IDs are unique', VERIFY),
  guard('saml-one-assertion', 'SAML response: nothing else stands beside the assertion', VERIFY),
  guard('saml-status', 'SAML response: a failure is told', VERIFY, always),
  guard('saml-issuer', 'SAML assertion: of the issuer', VERIFY, at('operand 2')),
  guard('saml-audience', 'SAML assertion: for this audience', VERIFY, at('operand 2', never)),
  guard('saml-recipient', 'SAML assertion: for this recipient', VERIFY),
  guard('saml-in-response-to', 'SAML assertion: answers the request', VERIFY),
  guard('saml-bearer', 'SAML assertion: confirmed for its bearer', VERIFY, at('body', always)),
  guard('saml-confirmation-end-given', 'SAML assertion: the confirmation has an end', VERIFY),
  guard('saml-confirmation-end', 'SAML assertion: the confirmation ends', VERIFY),
  guard('saml-conditions-end', 'SAML assertion: conditions end', VERIFY),
  guard('saml-conditions-begin', 'SAML assertion: conditions begin', VERIFY),
  guard('saml-conditions-known', 'SAML assertion: conditions are all understood', VERIFY),
  guard(
    'saml-issued-after-request',
    'SAML assertion: not from before the request',
    VERIFY,
    at('side 2', becomes('0')),
  ),
  guard('saml-issued-in-future', 'SAML assertion: not of the future', VERIFY),
  guard('saml-authn-statement', 'SAML assertion: about somebody who was authenticated', VERIFY),
  guard('saml-stable-name-id', 'SAML assertion: the NameID stays the same', VERIFY),
  guard(
    'saml-certificate-validity',
    'SAML certificates: expired ones verify nothing',
    VERIFY,
    at('operand 2', always),
  ),
  guard('saml-destination', 'SAML response: sent to this destination', VERIFY, at('else', never)),
  guard('saml-assertion-signature', 'SAML response: each signature is verified', VERIFY, at('value', never)),
  guard('saml-attempts', 'SAML sign-in: sign-ins that are started are bounded', SIGN_IN),
  guard('saml-request-provider', 'SAML sign-in: a request is of its provider', ATTACKS),
  guard(
    'saml-request-once',
    'SAML sign-in: a request is answered once',
    ATTACKS,
    at('then', becomes("return '';")),
  ),
  guard('saml-request-browser', 'SAML sign-in: only in the browser that asked', ATTACKS, at('operand 3')),
  guard(
    'saml-identity-member',
    'SAML identity: no account is taken that is no member',
    ATTACKS,
    at('operand 2'),
  ),
  guard('saml-identity-verified', 'SAML identity: an address must be verified', ATTACKS, at('operand 3')),
  guard('saml-one-name-id', 'SAML identity: one NameID for a member', ATTACKS),
  guard('saml-disabled-members', 'SAML identity: disabled members stay out', ATTACKS),
  guard('saml-identity-lock', 'SAML identity: members are made one at a time', SIGN_IN),
  guard('credential-organization', 'SAML reach: a credential of one organization reaches no other', ATTACKS),
  guard(
    'credential-organization-lists',
    'SAML reach: lists leave out what is not reached',
    ATTACKS,
    replace({ 'coalesce($': 'coalesce(true or $' }),
  ),
  guard('credential-account', 'SAML reach: accounts are not for providers', ATTACKS),
  guard('token-organization', 'SAML reach: tokens made by SSO are for its organization', ATTACKS),
  guard('sso-members', 'SAML SSO: required of members', SIGN_IN),
  guard('sso-sessions', 'SAML SSO: required of sessions', SIGN_IN),
  guard(
    'sso-lists',
    'SAML SSO: lists leave out what requires it',
    SIGN_IN,
    replace({ 'and (not ': 'and (true or not ' }),
  ),
  guard(
    'sso-admin-signed-in',
    'SAML SSO: an admin has signed in by it',
    SIGN_IN,
    replace({ "and member.role = 'admin' and member.sso": '' }),
  ),
  guard(
    'sso-leaving-admin',
    'SAML SSO: the admin who leaves does not count',
    SIGN_IN,
    replace({ 'is distinct from': 'is not distinct from' }),
  ),
  guard(
    'sso-active-provider',
    'SAML SSO: the provider must be active',
    SIGN_IN,
    replace({
      "and saml_provider.entity_id <> '' and saml_provider.certificate <> '' and saml_provider.sso_url <> ''":
        '',
    }),
  ),
  guard('sso-joining', 'SAML SSO: nobody joins without it', SIGN_IN),
  guard('sso-provider-sessions', 'SAML SSO: sessions end with their provider', SIGN_IN),
];
