import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { openSessionFor } from './browser.ts';
import { TestBrowser } from './test-browser.ts';

/** A real issuer over HTTP, and a stand-in for GitHub. Each test decides what they respond. */
const issuer = new OAuth2Server();
let service: TestService;
/** Claims that override those of ID tokens. */
let claims: Record<string, unknown> = {};
/** Changes of what the issuer sends. */
let alter: {
  metadata?: (body: Record<string, unknown>) => void;
  tokens?: (body: Record<string, unknown>) => void;
  redirect?: (url: URL) => void;
} = {};
/** What GitHub responds, and the requests that it got. */
let github: { user: object; emails: unknown; tokenRequest?: Record<string, unknown> };

beforeAll(async () => {
  await issuer.issuer.keys.generate('RS256');
  const { service: endpoints } = issuer;
  endpoints.on('beforeTokenSigning', ({ payload }) => Object.assign(payload, claims));
  endpoints.on('beforeWellKnownOpenIdConfiguration', ({ body }) => alter.metadata?.(body));
  endpoints.on('beforeResponse', ({ body }) => alter.tokens?.(body));
  endpoints.on('beforeAuthorizeRedirect', ({ url }) => alter.redirect?.(url));
  const answer = (path: string, body: () => unknown) =>
    endpoints.addRoute('GET', path, (_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body()));
    });
  answer('/api/v3/user', () => github.user);
  answer('/api/v3/user/emails', () => github.emails);
  endpoints.addRoute('POST', '/login/oauth/access_token', (request, response) => {
    github.tokenRequest = request.body as Record<string, unknown>;
    const tokens = { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(tokens));
  });
  await issuer.start(0, 'localhost');
  const url = issuer.issuer.url as string;
  const provider = { issuer: url, clientId: 'docs', clientSecret: 'secret' };
  service = await startTestService({
    OIDC_PROVIDERS: JSON.stringify([
      { ...provider, name: 'acme', label: 'Acme & Co' },
      { ...provider, name: 'open', signUp: 'anyone' },
      { ...provider, name: 'changed' },
      { ...provider, name: 'down', issuer: 'http://localhost:1' },
    ]),
    GITHUB_CLIENT_ID: 'gh',
    GITHUB_CLIENT_SECRET: 'gh-secret',
    GITHUB_URL: url,
  });
});
afterAll(async () => {
  await service.close();
  await issuer.stop();
});

let serial = 0;
beforeEach(() => {
  const email = `person${++serial}@providers.example`;
  claims = { sub: `subject-${serial}`, email, email_verified: true, name: 'Jo Reader' };
  alter = {};
  github = { user: { id: serial, login: 'jo' }, emails: [{ email, primary: true, verified: true }] };
});

const pathOf = ({ pathname, search }: URL) => pathname + search;

/** The URL to which the issuer redirects a browser. */
async function throughIssuer(url: URL): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}

/** Signs in with a provider, as far as that succeeds. */
async function signIn(name = 'acme', query = ''): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  const back = await throughIssuer(await browser.leave(`/auth/oidc/${name}/start${query}`));
  expect(back.origin).toBe('http://docs.test');
  await browser.open(pathOf(back));
  return browser;
}

const hasSession = (browser: TestBrowser) => browser.cookies.has('colophon_session');
const me = async (browser: TestBrowser) => (await browser.api('GET', '/user')).json();
const usersWith = (email: unknown) =>
  service.runtime.database.db
    .selectFrom('user')
    .select(['id', 'display_name as name', 'email_verified_at as verifiedAt'])
    .where('email', '=', String(email))
    .execute();

describe('a person', () => {
  it('the sign-in page offers each provider, in the order of the configuration', async () => {
    const { body } = await service.as().get('/auth/providers');
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual([
      'acme',
      'open',
      'changed',
      'down',
      'github',
    ]);
    expect(body.items[0]).toEqual({
      name: 'acme',
      label: 'Acme & Co',
      startURL: 'http://docs.test/auth/oidc/acme/start',
    });
    const browser = new TestBrowser(service.app);
    await browser.open('/auth/sign-in?returnTo=/v1/user');
    expect(browser.text).toContain(
      'href="/auth/oidc/acme/start?returnTo=%2Fv1%2Fuser">Sign in with Acme &amp; Co</a>',
    );
  });

  it('a person signs in by their verified address first, and by the linked account from then on, whatever its address', async () => {
    const user = await service.build.user({ email: String(claims.email) });
    const first = await signIn('acme', '?returnTo=/v1/user');
    expect(first.url).toBe('/v1/user');
    expect(await me(first)).toMatchObject({ id: user.id });
    const { items } = (await first.api('GET', '/user/identities')).json();
    expect(items).toMatchObject([{ issuer: issuer.issuer.url, email: claims.email }]);
    expect((await first.api('GET', '/user/sessions')).json().items[0]).toMatchObject({
      method: 'oidc',
      secondFactor: false,
    });

    claims = { ...claims, email: 'elsewhere@providers.example', email_verified: false };
    expect(await me(await signIn())).toMatchObject({ id: user.id });
    expect((await first.api('DELETE', `/user/identities/${items[0].id}`)).statusCode).toBe(205);
    expect((await signIn()).status).toBe(403);
  });

  it('a person is not signed in as another user who now has their address', async () => {
    await service.build.user({ email: String(claims.email) });
    expect(hasSession(await signIn())).toBe(true);
    claims = { ...claims, sub: 'successor' };
    const successor = await signIn();
    expect([successor.status, hasSession(successor)]).toEqual([403, false]);
  });

  it('a person is not signed in to an account that has their address without having verified it', async () => {
    const { id } = await service.build.user({ email: String(claims.email) });
    await service.runtime.database.db
      .updateTable('user')
      .set({ email_verified_at: null })
      .where('id', '=', id)
      .execute();
    const browser = await signIn('open');
    expect([browser.status, hasSession(browser)]).toEqual([403, false]);
    expect(browser.text).toContain('You cannot sign in to the account');
  });

  it.for([false, 'true', undefined, 1])(
    'a person whose address is not verified is refused: %j',
    async (verified) => {
      await service.build.user({ email: String(claims.email) });
      claims.email_verified = verified;
      const browser = await signIn('open');
      expect([browser.status, hasSession(browser)]).toEqual([403, false]);
      expect(browser.text).toContain('has not verified your e-mail address');
    },
  );

  it('a person who is not invited gets an account only from a provider that may sign anyone up', async () => {
    const refused = await signIn('acme');
    expect([refused.status, hasSession(refused)]).toEqual([403, false]);
    expect(await usersWith(claims.email)).toEqual([]);
    const browser = await signIn('open');
    expect(browser.url).toBe('/auth/account');
    expect(await usersWith(claims.email)).toMatchObject([
      { name: 'Jo Reader', verifiedAt: expect.anything() },
    ]);
  });

  it.for([
    ['\0 Jo\u0007\ud800\r\nReader ', 'Jo \ufffd Reader'],
    ['😀'.repeat(5000), '😀'.repeat(64)],
    ['\u0000', undefined],
    [['Jo'], undefined],
  ] as const)(
    'a new user gets the name from the provider, as far as it is usable: %j',
    async ([name, shown]) => {
      claims.name = name;
      expect(hasSession(await signIn('open'))).toBe(true);
      expect((await usersWith(claims.email))[0]?.name).toBe(shown ?? claims.email);
    },
  );

  it('a person who is invited gets an account, and joins the organizations that invite them or admit their domain', async () => {
    const acme = await service.build.organization({ title: 'Acme' });
    const admin = service.as(acme.admin.token);
    await admin.post(`/orgs/${acme.id}/invites`, { emails: [claims.email], role: 'edit' });
    const domain = `domain${serial}.example`;
    const other = await service.build.organization({ title: 'Other' });
    await service
      .as(other.admin.token)
      .patch(`/orgs/${other.id}`, { emailDomains: [domain], defaultRole: 'read' });

    const invited = await signIn();
    expect((await invited.api('GET', '/orgs')).json().items).toMatchObject([{ id: acme.id }]);
    claims = { ...claims, sub: `domain-${serial}`, email: `Jo@${domain.toUpperCase()}` };
    const admitted = await signIn();
    expect((await admitted.api('GET', '/orgs')).json().items).toMatchObject([{ id: other.id }]);
    expect(await usersWith(`jo@${domain}`)).toHaveLength(1);
  });

  it('a person who signs in for the first time in several tabs at once is signed in in each', async () => {
    for (const email of ['existing@tabs.example', 'new@tabs.example']) {
      if (email.startsWith('existing')) await service.build.user({ email });
      claims = { ...claims, sub: email, email };
      const tabs = await Promise.all(Array.from({ length: 4 }, () => signIn('open')));
      expect(tabs.map(({ status, url }) => [status, url])).toEqual(
        Array.from({ length: 4 }, () => [200, '/auth/account']),
      );
      expect(await usersWith(email)).toHaveLength(1);
    }
  });

  it('a person is not kept out by organizations that they could join only by SSO', async () => {
    const domain = `sso${serial}.example`;
    claims.email = `jo@${domain}`;
    const [closed, open] = [await service.build.organization(), await service.build.organization()];
    for (const { id, admin } of [closed, open])
      await service.as(admin.token).post(`/orgs/${id}/invites`, { emails: [claims.email] });
    const { db } = service.runtime.database;
    await db
      .updateTable('organization')
      .set({ sso: true, email_domains: [domain] })
      .where('id', '=', closed.id)
      .execute();
    const browser = await signIn();
    expect((await browser.api('GET', '/orgs')).json().items).toMatchObject([{ id: open.id }]);
    // Neither does such an organization give an account to anybody whom no other invites.
    claims = { ...claims, sub: `other-${serial}`, email: `other@${domain}` };
    expect((await signIn()).status).toBe(403);
  });

  it('a person signs in with GitHub by a primary, verified address', async () => {
    const [email] = (github.emails as { email: string }[]).map((one) => one.email);
    const { id } = await service.build.user({ email: email as string });
    const withGithub = async () => {
      const browser = new TestBrowser(service.app);
      const asked = await browser.leave('/auth/oidc/github/start');
      expect(asked.pathname).toBe('/login/oauth/authorize');
      const { code_challenge_method: method, scope, state = '' } = Object.fromEntries(asked.searchParams);
      expect([method, scope]).toEqual(['S256', 'read:user user:email']);
      await browser.open(`/auth/oidc/github/callback?code=1&state=${state}`);
      return browser;
    };
    const secondary = { email, primary: false, verified: true };
    for (const emails of [[{ email, primary: true, verified: false }], [secondary], { message: 'no' }]) {
      github.emails = emails;
      const refused = await withGithub();
      expect([refused.status, hasSession(refused)]).toEqual([403, false]);
    }
    github.emails = [
      { email: 'x@y.example', primary: false, verified: true },
      { ...secondary, primary: true },
    ];
    expect(await me(await withGithub())).toMatchObject({ id });
    expect(github.tokenRequest).toMatchObject({
      client_id: 'gh',
      client_secret: 'gh-secret',
      redirect_uri: 'http://docs.test/auth/oidc/github/callback',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('a person is asked for a second factor after OpenID Connect if an organization requires one', async () => {
    const { id: organization } = await service.build.organization();
    const user = await service.build.user({ email: String(claims.email) });
    await service.build.join(organization, user.id, 'read');
    await service.runtime.database.db
      .updateTable('organization')
      .set({ require_second_factor: true })
      .where('id', '=', organization)
      .execute();
    const browser = await signIn('acme', '?returnTo=/v1/user');
    expect([browser.url, hasSession(browser)]).toEqual(['/auth/second-factor', false]);
    expect(browser.text).toContain('requires a second factor');
  });
});

describe('nobody is signed in', () => {
  const otherKey = (body: Record<string, unknown>) => {
    const [header, payload, signature = ''] = String(body.id_token).split('.');
    body.id_token = [header, payload, signature.split('').reverse().join('')].join('.');
  };
  const unsigned = (body: Record<string, unknown>) => {
    const [, payload] = String(body.id_token).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    body.id_token = `${header}.${payload}.`;
  };
  it.for<[string, () => void]>([
    ['a wrong nonce', () => Object.assign(claims, { nonce: 'other' })],
    ['no nonce', () => Object.assign(claims, { nonce: undefined })],
    ['the audience of another client', () => Object.assign(claims, { aud: 'other' })],
    [
      'an additional audience, which is the authorized party',
      () => Object.assign(claims, { aud: ['docs', 'other'], azp: 'other' }),
    ],
    ['another issuer in the token', () => Object.assign(claims, { iss: 'https://other.example' })],
    [
      'another issuer in the callback',
      () =>
        Object.assign(alter, {
          redirect: (url: URL) => url.searchParams.set('iss', 'https://other.example'),
        }),
    ],
    ['a subject that no issuer gives', () => Object.assign(claims, { sub: 'a\0b' })],
    ['a subject that is too long', () => Object.assign(claims, { sub: 'a'.repeat(300) })],
    ['a token that has expired', () => Object.assign(claims, { exp: Math.floor(Date.now() / 1000) - 600 })],
    ['a token that is signed by another', () => Object.assign(alter, { tokens: otherKey })],
    ['a token that is not signed', () => Object.assign(alter, { tokens: unsigned })],
    [
      'no token',
      () => Object.assign(alter, { tokens: (body: object) => Object.assign(body, { id_token: undefined }) }),
    ],
    [
      'another state',
      () => Object.assign(alter, { redirect: (url: URL) => url.searchParams.set('state', 'other') }),
    ],
    [
      'two states',
      () => Object.assign(alter, { redirect: (url: URL) => url.searchParams.append('state', 'other') }),
    ],
    ['no code', () => Object.assign(alter, { redirect: (url: URL) => url.searchParams.delete('code') })],
    [
      'an unknown code',
      () => Object.assign(alter, { redirect: (url: URL) => url.searchParams.set('code', 'other') }),
    ],
    [
      'an error',
      () => Object.assign(alter, { redirect: (url: URL) => url.searchParams.set('error', 'access_denied') }),
    ],
  ])('nobody is signed in with %s', async ([, prepare]) => {
    await service.build.user({ email: String(claims.email) });
    prepare();
    const browser = await signIn();
    expect([browser.status, hasSession(browser)]).toEqual([401, false]);
    expect(browser.text).toContain('Acme &amp; Co did not sign you in.');
  });

  it('nobody is signed in twice by the same response, in another browser, or by the response of another provider', async () => {
    await service.build.user({ email: String(claims.email) });
    const browser = new TestBrowser(service.app);
    const back = await throughIssuer(await browser.leave('/auth/oidc/acme/start'));
    const elsewhere = new TestBrowser(service.app);
    await elsewhere.leave('/auth/oidc/acme/start');
    const without = new TestBrowser(service.app);
    for (const other of [elsewhere, without]) {
      await other.open(pathOf(back));
      expect([other.status, hasSession(other)]).toEqual([401, false]);
    }
    const copied = new TestBrowser(service.app);
    for (const [name, value] of browser.cookies) copied.cookies.set(name, value);
    await browser.open(pathOf(back));
    expect(hasSession(browser)).toBe(true);
    await copied.open(pathOf(back));
    expect([copied.status, hasSession(copied)]).toEqual([401, false]);

    const mixed = new TestBrowser(service.app);
    const answer = await throughIssuer(await mixed.leave('/auth/oidc/acme/start'));
    await mixed.open(pathOf(answer).replace('/acme/', '/open/'));
    expect([mixed.status, hasSession(mixed)]).toEqual([401, false]);
  });

  it('nobody is signed in by GitHub with another state', async () => {
    const [one] = github.emails as { email: string }[];
    await service.build.user({ email: one?.email ?? '' });
    const browser = new TestBrowser(service.app);
    await browser.leave('/auth/oidc/github/start');
    await browser.open('/auth/oidc/github/callback?code=1&state=other');
    expect([browser.status, hasSession(browser)]).toEqual([401, false]);
  });

  it('nobody is signed in by an issuer while its discovery document names another issuer', async () => {
    await service.build.user({ email: String(claims.email) });
    const open = async () => {
      const browser = new TestBrowser(service.app);
      await browser.open('/auth/oidc/changed/start');
      return browser;
    };
    alter.metadata = (body) => Object.assign(body, { issuer: 'https://other.example' });
    const browser = await open();
    expect([browser.status, browser.text]).toEqual([
      503,
      expect.stringContaining('changed cannot be reached'),
    ]);
    alter = {};
    expect(hasSession(await signIn('changed'))).toBe(true);
  });

  it('nobody is signed in by a provider that is down, which the page says, or that is not configured', async () => {
    const browser = new TestBrowser(service.app);
    await browser.open('/auth/oidc/down/start');
    expect([browser.status, browser.text]).toEqual([
      503,
      expect.stringContaining('down cannot be reached right now'),
    ]);
    expect(browser.text).toContain('action="/auth/sign-in"');
    for (const path of ['start', 'callback'])
      expect((await service.app.inject(`/auth/oidc/none/${path}`)).statusCode).toBe(
        path === 'start' ? 404 : 401,
      );
  });
});

test('sign-ins that are started and not finished are limited by address', async () => {
  const start = () => service.app.inject({ url: '/auth/oidc/acme/start', remoteAddress: '2001:db8:1:2::3' });
  expect((await start()).statusCode).toBe(303);
  await service.runtime.database.db
    .updateTable('attempt')
    .set({ count: 300 })
    .where('key', 'like', 'begin:%')
    .execute();
  expect((await start()).statusCode).toBe(429);
  await service.runtime.database.db.deleteFrom('attempt').where('key', 'like', 'begin:%').execute();
});

test('a user does not find the identities of another user', async () => {
  await service.build.user({ email: String(claims.email) });
  const owner = await signIn();
  const { items } = (await owner.api('GET', '/user/identities')).json();
  const other = await openSessionFor(service, (await service.build.user()).id);
  const browser = new TestBrowser(service.app);
  browser.cookies.set('colophon_session', other.cookie.split('=')[1] as string);
  expect((await browser.api('DELETE', `/user/identities/${items[0].id}`)).statusCode).toBe(204);
  expect((await owner.api('GET', '/user/identities')).json().items).toHaveLength(1);
});
