import type { Guard } from './guards.ts';

const FACTORS = ['test/auth/factors.test.ts'];
const PROVIDERS = ['test/auth/providers.test.ts'];

const SECOND = 'routers/auth/second-factor.operation.ts';
const PASSKEYS = 'routers/auth/passkeys.operation.ts';
const OIDC = 'routers/auth/oidc.operation.ts';
const ADAPTERS = 'server/identity-providers.ts';

/** The guards of second factors, passkeys and identity providers. */
export const FACTOR_GUARDS: Guard[] = [
  {
    name: 'apps: a code is asked for after a password',
    file: SECOND,
    find: "return isRequired || (isEnrolled && method !== 'oidc');",
    replace: 'return isRequired;',
    tests: FACTORS,
  },
  {
    name: 'apps: an organization has it asked for',
    file: SECOND,
    find: "return isRequired || (isEnrolled && method !== 'oidc');",
    replace: "return isEnrolled && method !== 'oidc';",
    tests: FACTORS,
  },
  {
    name: 'apps: a code is taken once',
    file: SECOND,
    find: "    .where('last_step', '<', step)\n",
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'apps: secrets are sealed',
    file: SECOND,
    find: 'const sealed = signer.seal(SECRET_PURPOSE, await newTotpSecret());',
    replace: 'const sealed = await newTotpSecret();',
    tests: FACTORS,
  },
  {
    name: 'apps: another is not set up over one that counts',
    file: SECOND,
    find: '    where totp.confirmed_at is null\n',
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'second factors: attempts are bounded',
    file: SECOND,
    find: '  await services.attempts.count(db, attempt);\n  const given',
    replace: '  const given',
    tests: FACTORS,
  },
  {
    name: 'recovery codes: are taken once',
    file: SECOND,
    find: "  const { numDeletedRows } = await db\n    .deleteFrom('recovery_code')\n    .where('user_id', '=', user)\n    .where('hash', '=', hashCode(user, code))\n    .executeTakeFirst();\n  return numDeletedRows > 0n;",
    replace:
      "  const found = await db.selectFrom('recovery_code').select('hash').where('hash', '=', hashCode(user, code)).executeTakeFirst();\n  return found !== undefined;",
    tests: FACTORS,
  },
  {
    name: 'recovery codes: earlier ones are removed',
    file: SECOND,
    find: 'with removed as (delete from recovery_code',
    replace: 'with removed as (select 1 from recovery_code',
    tests: FACTORS,
  },
  {
    name: 'second factors: those who are there already lose sessions without one',
    file: 'routers/auth/second-factor.router.ts',
    find: '      if (required) await endWeakSessions(db, { organization: organizationId });\n',
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'second factors: those who join lose sessions without one',
    file: 'routers/joining/accept.operation.ts',
    find: '  await endWeakSessions(db, { organization, user: user.id });\n',
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'second factors: only in a session',
    file: 'routers/auth/session-caller.ts',
    find: "if (credential.kind !== 'session')",
    replace: "if (credential.kind !== 'session' && Date.now() < 0)",
    tests: FACTORS,
  },
  {
    name: 'ways in: not for sessions of one organization',
    file: 'routers/auth/session-caller.ts',
    find: '  requireUnrestrictedCredential({ credential });\n',
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'passkeys: a challenge is for one user and one purpose',
    file: PASSKEYS,
    find: 'return taken?.data.use === use && taken.user === user ? challenge : undefined;',
    replace: 'return taken ? challenge : undefined;',
    tests: FACTORS,
  },
  {
    name: 'passkeys: a challenge is taken once',
    file: PASSKEYS,
    find: "await consumeOneTimeToken<Challenge>(db, 'passkey', challenge)",
    replace: "await findOneTimeToken<Challenge>(db, 'passkey', challenge)",
    tests: FACTORS,
  },
  {
    name: 'passkeys: the user has been verified',
    file: PASSKEYS,
    find: '      requireUserVerification: true,\n    });\n    return verified',
    replace: '      requireUserVerification: false,\n    });\n    return verified',
    tests: FACTORS,
  },
  {
    name: 'passkeys: the device names their owner',
    file: PASSKEYS,
    find: "  if (Buffer.from(response.userHandle ?? '', 'base64url').toString() !== passkey.user) return undefined;\n",
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'passkeys: no certificates are looked at',
    file: PASSKEYS,
    find: '    await requirePlainAttestation(response.response.attestationObject);\n',
    replace: '',
    tests: FACTORS,
  },
  {
    name: 'passkeys: of two with one counter, one counts',
    file: PASSKEYS,
    find: "eb('counter', '<', counter)",
    replace: "eb('counter', '<=', counter)",
    tests: FACTORS,
  },
  {
    name: 'passkeys: not for disabled users',
    file: PASSKEYS,
    find: 'found.disabledAt === null',
    replace: 'Date.now() > 0',
    tests: FACTORS,
  },
  {
    name: 'providers: a sign-in belongs to its browser, and is finished once',
    file: OIDC,
    find: "await consumeOneTimeToken<Pending>(db, 'oidc', secret)",
    replace: "await findOneTimeToken<Pending>(db, 'oidc', secret)",
    tests: PROVIDERS,
  },
  {
    name: 'providers: what one answers counts for no other',
    file: OIDC,
    find: 'if (!provider || begun !== name)',
    replace: 'if (!provider || begun === "")',
    tests: PROVIDERS,
  },
  {
    name: 'providers: the address of a user is verified',
    file: OIDC,
    find: 'if (user.verifiedAt === null)',
    replace: 'if (user.verifiedAt === undefined)',
    tests: PROVIDERS,
  },
  {
    name: 'providers: another account with the address is somebody else',
    file: OIDC,
    find: 'if (user.isBound)',
    replace: 'if (user.isBound && issuer === "")',
    tests: PROVIDERS,
  },
  {
    name: 'providers: users are made for those who are invited',
    file: OIDC,
    find: "if (signUp === 'invited' && places.invites.length === 0 && places.organizations.length === 0)",
    replace: "if (signUp === 'invited' && label === '')",
    tests: PROVIDERS,
  },
  {
    name: 'providers: sign-ins that are begun are bounded',
    file: OIDC,
    find: '  await attempts.count(db, startAttempt(browser.address));\n',
    replace: '',
    tests: PROVIDERS,
  },
  {
    name: 'providers: only verified addresses',
    file: ADAPTERS,
    find: 'said.email_verified === true ?',
    replace: 'said.email_verified ?',
    tests: PROVIDERS,
  },
  {
    name: 'providers: tokens are signed',
    file: ADAPTERS,
    find: '        client.enableNonRepudiationChecks,\n',
    replace: '',
    tests: PROVIDERS,
  },
  {
    name: 'providers: state of GitHub',
    file: ADAPTERS,
    find: '        expectedState: state,\n        pkceCodeVerifier: verifier,\n      });\n      const read',
    replace:
      '        expectedState: client.skipStateCheck,\n        pkceCodeVerifier: verifier,\n      });\n      const read',
    tests: PROVIDERS,
  },
  {
    name: 'providers: only a primary address of GitHub that is verified',
    file: ADAPTERS,
    find: 'one?.primary === true && one.verified === true',
    replace: 'one?.primary === true',
    tests: PROVIDERS,
  },
];
