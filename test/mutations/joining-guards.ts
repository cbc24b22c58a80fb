import { guard } from './guard.ts';
import { always, at, becomes, keep, never, replace, unwrap } from './mutations.ts';

const LINKS = ['test/joining/link-invites.test.ts'];
const EMAILS = ['test/joining/email-invites.test.ts'];
const MAILS = ['test/joining/invite-mails.test.ts'];
const DOMAINS = ['test/joining/domains.test.ts'];
const SAML = ['test/saml'];
const SEEN = ['test/people/last-seen.test.ts'];
const RULES = ['test/change-requests/merge-rules-people.test.ts'];

/** Guards of how people come to an organization, and of what remains of them. */
export const JOINING_GUARDS = [
  guard('invite-hashed', 'invites: secrets are stored as hashes', LINKS, at('value', unwrap)),
  guard(
    'invite-link-id',
    'invites: the id of a link opens nothing',
    LINKS,
    at('element 2', keep('element 1')),
  ),
  guard('invite-organization', 'invites: an invite of another organization is unknown', LINKS),
  guard('invite-expired', 'invites: an expired invite is unknown', LINKS, at('operand 2', never)),
  guard(
    'invite-read-again',
    'invites: whoever waited for the lock reads the invite again',
    LINKS,
    at('value', becomes('first')),
  ),
  guard('invite-single-use', 'invites: a single-use invite is used up', LINKS),
  guard(
    'invite-links-off',
    'invites: links that are turned off open nothing',
    LINKS,
    at('condition', becomes('!$(object)')),
  ),
  guard('invite-links-made', 'invites: no links are made where they are turned off', LINKS),
  guard('invite-deleted-space', 'invites: an invite to a deleted space is unknown', LINKS),
  guard('invite-stronger-grant', 'invites: no stronger grant is replaced', LINKS, at('value', never)),
  guard('invite-stronger-role', 'invites: no stronger role is replaced', LINKS, at('operand 2', always)),
  guard('invite-disabled-member', 'invites: disabled members stay out', LINKS),
  guard('invite-link-limit', 'invites: links are limited', LINKS, always),
  guard('invite-events-admins', 'invites: only admins are told of them', LINKS),
  guard('invite-mails', 'invites: mails are limited', EMAILS),
  guard('invite-link-ends-with-invite', 'invites: a link in a mail ends with its invite', MAILS),
  guard('mail-of-expired-invite', 'invites: no mail leads to an expired invite', MAILS),
  guard('invite-address', 'invites: an invite by e-mail is for its address', EMAILS),
  guard('invite-verified-address', 'invites: an invite by e-mail is for a verified address', EMAILS),
  guard(
    'invite-one-per-address',
    'invites: an address has one invite at a time',
    EMAILS,
    at('argument 3', becomes("''")),
  ),
  guard(
    'invite-removed-member',
    'invites: the invites of a removed member are removed',
    EMAILS,
    at('argument 3', becomes("''")),
  ),
  guard('email-normal-form', 'e-mail addresses: each address has one form', EMAILS, at('object')),
  guard('email-domain-notation', 'e-mail addresses: a domain has one notation', EMAILS),
  guard(
    'join-exact-domain',
    'joining: the domain is exactly one that the organization admits',
    DOMAINS,
    at('condition', becomes('!$(object).some((domain) => $(argument 1 of argument 1).endsWith(domain))')),
  ),
  guard('join-verified-address', 'joining: the address is verified', DOMAINS),
  guard('join-members-unchanged', 'joining: members stay what they are', DOMAINS),
  guard(
    'join-named-domain',
    'joining: only organizations that named the domain are listed',
    DOMAINS,
    replace({ 'organization.email_domains @>': 'true or organization.email_domains @>' }),
  ),
  guard(
    'join-own-domain',
    'joining: organizations are listed for the own domain alone',
    DOMAINS,
    at('operand 2', never),
  ),
  guard(
    'join-public-provider',
    'joining: public mail providers admit nobody',
    DOMAINS,
    at('condition of else'),
  ),
  guard(
    'saml-active-provider',
    'SAML: only active providers are offered',
    SAML,
    replace({ " and saml_provider.certificate <> ''": '' }),
  ),
  guard('saml-strong-key', 'SAML: certificates have strong keys', SAML, at('side 2', becomes('0'))),
  guard('saml-signing-key', 'SAML: certificates have keys that sign', SAML),
  guard('saml-expired-certificate', 'SAML: expired certificates are refused', SAML),
  guard('saml-cut-certificate', 'SAML: no certificate is cut off', SAML, at('operand 2', never)),
  guard('saml-provider-limit', 'SAML: providers are limited', SAML),
  guard('seen-refused', 'last seen: those who are refused are not seen', SEEN, at('operand 1', always)),
  guard(
    'seen-interval',
    'last seen: not written within half a minute',
    SEEN,
    replace({ 'last_seen_at is null or': 'true or' }),
  ),
  guard('seen-member-reads', 'last seen: reads of members count', SEEN),
  guard(
    'merge-rule-all-admins',
    'merge rules: a rule that names all admins blocks nobody',
    RULES,
    at('operand 1 of operand 2'),
  ),
  guard(
    'merge-rule-other-admin',
    'merge rules: an admin who is not named comes first',
    RULES,
    at('operand 2', always),
  ),
  guard('access-of-enabled-accounts', 'merge rules: whose account is disabled reviews nothing', RULES),
  guard(
    'merge-rule-reviewers',
    'merge rules: requests to those who may not review block nothing',
    RULES,
    at('value'),
  ),
];
