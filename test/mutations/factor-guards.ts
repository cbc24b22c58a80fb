import { guard } from './guard.ts';
import { always, at, becomes, keep, never, replace } from './mutations.ts';

const APPS = ['test/auth/authenticator-apps.test.ts'];
const PASSKEYS = ['test/auth/passkeys.test.ts'];
const PROVIDERS = ['test/auth/providers.test.ts'];
const REFUSALS = ['test/auth/provider-refusals.test.ts'];

/** The guards of second factors, passkeys and identity providers. */
export const FACTOR_GUARDS = [
  guard(
    'app-code-after-password',
    'apps: a code is asked for after a password',
    APPS,
    at('operand 2', never),
  ),
  guard('app-code-organization', 'apps: an organization has it asked for', APPS, at('operand 1', never)),
  guard('app-code-once', 'apps: each code is accepted once', APPS),
  guard('app-secret-sealed', 'apps: secrets are sealed', APPS, at('value', keep('argument 2'))),
  guard('app-confirmed-kept', 'apps: another is not set up over one that counts', APPS),
  guard('app-secret-place', 'apps: a secret is shown where it is set up', APPS),
  guard('app-confirmed-sealed', 'apps: once confirmed, the place does not count', APPS),
  guard('app-beside-passkey', 'apps: none is set up with a password alone beside a passkey', [
    'test/auth/takeover.test.ts',
  ]),
  guard('factor-attempts', 'second factors: attempts are bounded', APPS),
  guard(
    'recovery-code-once',
    'recovery codes: each code is accepted once',
    APPS,
    replace({
      ".deleteFrom('recovery_code')":
        ".selectFrom('recovery_code').select((eb) => eb.fn.countAll().as('numDeletedRows'))",
    }),
  ),
  guard(
    'recovery-codes-replaced',
    'recovery codes: earlier ones are removed',
    APPS,
    replace({ 'delete from recovery_code': 'select 1 from recovery_code' }),
  ),
  guard(
    'factor-required-sessions',
    'second factors: when one is required, members lose sessions without one',
    APPS,
  ),
  guard('factor-joining-sessions', 'second factors: users who join lose sessions without one', APPS),
  guard('factor-session-only', 'second factors: only in a session', APPS),
  guard('account-whole-session', 'sign-in methods: not for sessions limited to one organization', PASSKEYS),
  guard(
    'passkey-challenge-use',
    'passkeys: a challenge is for one user and one purpose',
    PASSKEYS,
    at('condition', keep('object of side 1 of operand 2')),
  ),
  guard(
    'passkey-challenge-once',
    'passkeys: each challenge is accepted once',
    PASSKEYS,
    replace({ consumeOneTimeToken: 'findOneTimeToken' }),
  ),
  guard('passkey-user-verified', 'passkeys: the user has been verified', PASSKEYS, at('value', never)),
  guard('passkey-owner', 'passkeys: the device names their owner', PASSKEYS),
  guard('passkey-plain-attestation', 'passkeys: no certificates are looked at', PASSKEYS),
  guard(
    'passkey-counter',
    'passkeys: of two with one counter, one counts',
    PASSKEYS,
    at('argument 2', becomes("'<='")),
  ),
  guard('passkey-disabled-users', 'passkeys: not for disabled users', PASSKEYS, at('operand 3')),
  guard(
    'provider-sign-in-once',
    'providers: a sign-in belongs to its browser, and is finished once',
    REFUSALS,
    replace({ consumeOneTimeToken: 'findOneTimeToken' }),
  ),
  guard(
    'provider-own-answer',
    'providers: a response of one provider is not accepted for another',
    REFUSALS,
    at('operand 2'),
  ),
  guard(
    'provider-verified-address',
    'providers: the address of a user is verified',
    PROVIDERS,
    at('side 2', becomes('undefined')),
  ),
  guard('provider-other-account', 'providers: another account with the address is somebody else', PROVIDERS),
  guard('provider-invited-users', 'providers: users are made for those who are invited', PROVIDERS),
  guard('provider-first-sign-in', 'providers: concurrent first sign-ins wait for each other', PROVIDERS),
  guard('provider-invite-sso', 'providers: invites that need SSO are left out', PROVIDERS),
  guard('provider-domain-sso', 'providers: domains that need SSO are left out', PROVIDERS),
  guard('provider-attempts', 'providers: sign-ins that are begun are bounded', PROVIDERS),
  guard(
    'provider-claims-verified',
    'providers: only verified addresses',
    PROVIDERS,
    at('condition', keep('side 1')),
  ),
  guard('provider-signed-tokens', 'providers: tokens are signed', REFUSALS),
  guard(
    'provider-github-state',
    'providers: state of GitHub',
    REFUSALS,
    at('value', becomes('client.skipStateCheck')),
  ),
  guard(
    'provider-github-address',
    'providers: only a primary address of GitHub that is verified',
    PROVIDERS,
    at('operand 2', always),
  ),
];
