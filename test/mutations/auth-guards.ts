import type { Guard } from './guards.ts';

const SESSIONS = ['test/auth/sessions.test.ts'];
const PAGES = ['test/auth/pages.test.ts'];

/** The guards of sessions, passwords, links and forms. */
export const AUTH_GUARDS: Guard[] = [
  {
    name: 'sessions: only requests of own pages',
    file: 'server/context.ts',
    find: "    if (!browser.isSameOrigin) throw new DomainError('forbidden', FOREIGN_ORIGIN);\n",
    replace: '',
    tests: SESSIONS,
  },
  {
    name: 'sessions: a token beside one counts alone',
    file: 'server/context.ts',
    find: '        ? bySession(browser)\n        : byToken(authorization, browser));',
    replace:
      '        ? bySession(browser)\n        : ((await bySession(browser)) ?? byToken(authorization, browser)));',
    tests: SESSIONS,
  },
  {
    name: 'sessions: absolute expiry',
    file: 'server/context.ts',
    find: 'least(session.expires_at, session.idle_expires_at)',
    replace: 'session.idle_expires_at',
    tests: SESSIONS,
  },
  {
    name: 'sessions: idle expiry',
    file: 'server/context.ts',
    find: 'least(session.expires_at, session.idle_expires_at)',
    replace: 'session.expires_at',
    tests: SESSIONS,
  },
  {
    name: 'sessions: not for disabled users',
    file: 'server/context.ts',
    find: "    .where('session.hash', '=', hash)\n    .where('user.disabled_at', 'is', null),",
    replace: "    .where('session.hash', '=', hash),",
    tests: SESSIONS,
  },
  {
    name: 'tokens: not for disabled users',
    file: 'server/context.ts',
    find: "    .where('api_token.hash', '=', hash)\n    .where('user.disabled_at', 'is', null),",
    replace: "    .where('api_token.hash', '=', hash),",
    tests: SESSIONS,
  },
  {
    name: 'sessions: rotated in their browser',
    file: 'routers/auth/sessions.operation.ts',
    find: "  if (previous !== undefined) await deleteRows(kyselyOf(em), 'session', { hash: hashSecret(previous) });\n",
    replace: '',
    tests: SESSIONS,
  },
  {
    name: 'passwords: disabled users are refused alike',
    file: 'routers/auth/password.operation.ts',
    find: 'if (!found || !isRight || found.disabledAt !== null) {',
    replace: 'if (!found || !isRight) {',
    tests: PAGES,
  },
  {
    name: 'passwords: attempts are counted',
    file: 'routers/auth/password.operation.ts',
    find: '  await services.attempts.count(db, attempt);\n  const found = await db',
    replace: '  const found = await db',
    tests: PAGES,
  },
  {
    name: 'passwords: addresses of one subscriber count as one',
    file: 'routers/auth/attempts.operation.ts',
    find: "  { bound: 'address', of: subscriberOf(address) },",
    replace: "  { bound: 'address', of: address },",
    tests: PAGES,
  },
  {
    name: 'links: a password link on an unverified address takes the tokens',
    file: 'routers/auth/links.operation.ts',
    find: "    await deleteRows(db, 'api_token', { user_id: user.id });\n",
    replace: '',
    tests: PAGES,
  },
  {
    name: 'invitations: an address is proved by its mail alone',
    file: 'routers/auth/invitations.operation.ts',
    find: 'const emailVerifiedAt = invitation.email === null ? null : new Date();',
    replace: 'const emailVerifiedAt = new Date();',
    tests: PAGES,
  },
  {
    name: 'forms: belong to a browser and a page',
    file: 'server/auth/forms.ts',
    find: "  if (!browser.isSameOrigin || secret === undefined || !signer.verify('form', signedTextOf(secret, browser), token))\n    throw httpError(400, 'The form does not belong to this browser.');\n",
    replace: '',
    tests: PAGES,
  },
  {
    name: 'forms: what is shown is escaped',
    file: 'server/http/html.ts',
    find: 'return escaped(String(value));',
    replace: 'return String(value);',
    tests: PAGES,
  },
];
