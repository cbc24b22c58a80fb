import { guard } from './guard.ts';
import { at, becomes, never, replace, unwrap } from './mutations.ts';

const SESSIONS = ['test/auth/sessions.test.ts'];
const PAGES = ['test/auth/pages.test.ts'];
const MEANWHILE = ['test/auth/changes-meanwhile.test.ts'];
const TAKEOVER = ['test/auth/takeover.test.ts'];

/** The guards of sessions, passwords, links and forms. */
const REVOKED = 'test/auth/revoked-meanwhile.test.ts';

export const AUTH_GUARDS = [
  guard('sign-in-password-meanwhile', 'sign-in: the password is still the one that was verified', MEANWHILE),
  guard('password-change-meanwhile', 'change of a password: the current one is still that', MEANWHILE),
  guard('sessions-ended-in-order', 'sessions that are being opened are ended, too', MEANWHILE),
  guard(
    'factor-required-sign-ins',
    'a required second factor ends sessions that are being opened',
    MEANWHILE,
  ),
  guard('session-own-pages', 'sessions: only requests of own pages', SESSIONS),
  guard(
    'session-beside-token',
    'sessions: a request with a token ignores the session',
    SESSIONS,
    at('value', becomes('await ($(condition) ? $(then) : ((await $(then)) ?? $(else)))')),
  ),
  guard(
    'session-absolute-expiry',
    'sessions: absolute expiry',
    SESSIONS,
    replace({ 'least(session.expires_at, session.idle_expires_at)': 'session.idle_expires_at' }),
  ),
  guard(
    'session-idle-expiry',
    'sessions: idle expiry',
    SESSIONS,
    replace({ 'least(session.expires_at, session.idle_expires_at)': 'session.expires_at' }),
  ),
  guard('session-disabled-users', 'sessions: not for disabled users', SESSIONS),
  guard('token-disabled-users', 'tokens: not for disabled users', SESSIONS),
  guard('session-rotation', 'sessions: rotated in their browser', SESSIONS),
  guard(
    'password-disabled-users',
    'passwords: disabled users are refused in the same way',
    PAGES,
    at('operand 3'),
  ),
  guard('password-link-local-address', 'links: no mail to an address without a public domain', [
    'test/auth/first-admin.test.ts',
  ]),
  guard('verification-local-address', 'links: nothing verifies an address without a public domain', [
    'test/auth/first-admin.test.ts',
  ]),
  guard('password-attempts', 'passwords: attempts are counted', PAGES),
  guard(
    'attempts-by-subscriber',
    'passwords: addresses of one subscriber count as one',
    PAGES,
    at('call 1', unwrap),
  ),
  guard(
    'password-link-takes-tokens',
    'links: a password link on an unverified address takes the tokens',
    TAKEOVER,
  ),
  guard(
    'password-link-takes-passkeys',
    'links: a password link on an unverified address takes the passkeys',
    TAKEOVER,
  ),
  guard('password-link-takes-app', 'links: a password link on an unverified address takes the app', TAKEOVER),
  guard(
    'new-password-voids-links',
    'passwords: a new one voids links',
    TAKEOVER,
    replace({ "'password-reset', ": '' }),
  ),
  guard(
    'new-password-voids-sign-ins',
    'passwords: a new one voids sign-ins that began',
    TAKEOVER,
    replace({ ", 'second-factor'": '' }),
  ),
  guard('verification-own-account', 'links: an address is verified by its own account', TAKEOVER),
  guard(
    'invite-address-proof',
    'invites: an address is proved by its mail alone',
    'test/auth/invite-pages.test.ts',
    never,
  ),
  guard('revoked-meanwhile', 'sessions: what is revoked meanwhile creates no credentials', REVOKED),
  guard(
    'sign-in-passkey-meanwhile',
    'passkeys: a sign-in with one that is removed meanwhile is void',
    'test/auth/passkeys.test.ts',
  ),
  guard('first-password-meanwhile', 'passwords: a first one replaces none', REVOKED),
  guard('slow-body-caller', 'requests: the sender of a slow body is authenticated again', REVOKED),
  guard('form-token', 'forms: a form belongs to a browser and a page', PAGES),
  guard('html-escaped', 'forms: values are escaped', PAGES, at('value', unwrap)),
];
