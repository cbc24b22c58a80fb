import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { openSessionFor } from './browser.ts';
import { TestBrowser } from './test-browser.ts';
import { currentUser, hasSession, startProviders, type TestProviders } from './test-providers.ts';

let providers: TestProviders;
beforeAll(async () => {
  providers = await startProviders();
});
afterAll(() => providers.close());
beforeEach(() => providers.reset());

describe('a person', () => {
  it('the sign-in page offers each provider, in the order of the configuration', async () => {
    const { body } = await providers.service.as().get('/auth/providers');
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
    const browser = new TestBrowser(providers.service.app);
    await browser.open('/auth/sign-in?returnTo=/v1/user');
    expect(browser.text).toContain(
      'href="/auth/oidc/acme/start?returnTo=%2Fv1%2Fuser">Sign in with Acme &amp; Co</a>',
    );
  });

  it('a person signs in by their verified address first, and by the linked account from then on, whatever its address', async () => {
    const user = await providers.service.build.user({ email: String(providers.claims.email) });
    const first = await providers.signIn('acme', '?returnTo=/v1/user');
    expect(first.url).toBe('/v1/user');
    expect(await currentUser(first)).toMatchObject({ id: user.id });
    const { items } = (await first.api('GET', '/user/identities')).json();
    expect(items).toMatchObject([{ issuer: providers.issuer, email: providers.claims.email }]);
    expect((await first.api('GET', '/user/sessions')).json().items[0]).toMatchObject({
      method: 'oidc',
      secondFactor: false,
    });

    providers.claims = { ...providers.claims, email: 'elsewhere@providers.example', email_verified: false };
    expect(await currentUser(await providers.signIn())).toMatchObject({ id: user.id });
    expect((await first.api('DELETE', `/user/identities/${items[0].id}`)).statusCode).toBe(205);
    expect((await providers.signIn()).status).toBe(403);
  });

  it('a person is not signed in as another user who now has their address', async () => {
    await providers.service.build.user({ email: String(providers.claims.email) });
    expect(hasSession(await providers.signIn())).toBe(true);
    providers.claims = { ...providers.claims, sub: 'successor' };
    const successor = await providers.signIn();
    expect([successor.status, hasSession(successor)]).toEqual([403, false]);
  });

  it('a person is not signed in to an account that has their address without having verified it', async () => {
    const { id } = await providers.service.build.user({ email: String(providers.claims.email) });
    await providers.service.runtime.database.db
      .updateTable('user')
      .set({ email_verified_at: null })
      .where('id', '=', id)
      .execute();
    const browser = await providers.signIn('open');
    expect([browser.status, hasSession(browser)]).toEqual([403, false]);
    expect(browser.text).toContain('You cannot sign in to the account');
  });

  it.for([false, 'true', undefined, 1])(
    'a person whose address is not verified is refused: %j',
    async (verified) => {
      await providers.service.build.user({ email: String(providers.claims.email) });
      providers.claims.email_verified = verified;
      const browser = await providers.signIn('open');
      expect([browser.status, hasSession(browser)]).toEqual([403, false]);
      expect(browser.text).toContain('has not verified your e-mail address');
    },
  );

  it('a person who is not invited gets an account only from a provider that may sign anyone up', async () => {
    const refused = await providers.signIn('acme');
    expect([refused.status, hasSession(refused)]).toEqual([403, false]);
    expect(await providers.usersWith(providers.claims.email)).toEqual([]);
    const browser = await providers.signIn('open');
    expect(browser.url).toBe('/auth/account');
    expect(await providers.usersWith(providers.claims.email)).toMatchObject([
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
      providers.claims.name = name;
      expect(hasSession(await providers.signIn('open'))).toBe(true);
      expect((await providers.usersWith(providers.claims.email))[0]?.name).toBe(
        shown ?? providers.claims.email,
      );
    },
  );

  it('a person who is invited gets an account, and joins the organizations that invite them or admit their domain', async () => {
    const acme = await providers.service.build.organization({ title: 'Acme' });
    const admin = providers.service.as(acme.admin.token);
    await admin.post(`/orgs/${acme.id}/invites`, { emails: [providers.claims.email], role: 'edit' });
    const domain = `domain${providers.serial}.example`;
    const other = await providers.service.build.organization({ title: 'Other' });
    await providers.service
      .as(other.admin.token)
      .patch(`/orgs/${other.id}`, { emailDomains: [domain], defaultRole: 'read' });

    const invited = await providers.signIn();
    expect((await invited.api('GET', '/orgs')).json().items).toMatchObject([{ id: acme.id }]);
    providers.claims = {
      ...providers.claims,
      sub: `domain-${providers.serial}`,
      email: `Jo@${domain.toUpperCase()}`,
    };
    const admitted = await providers.signIn();
    expect((await admitted.api('GET', '/orgs')).json().items).toMatchObject([{ id: other.id }]);
    expect(await providers.usersWith(`jo@${domain}`)).toHaveLength(1);
  });

  it('a person who signs in for the first time in several tabs at once is signed in in each', async () => {
    for (const email of ['existing@tabs.example', 'new@tabs.example']) {
      if (email.startsWith('existing')) await providers.service.build.user({ email });
      providers.claims = { ...providers.claims, sub: email, email };
      const tabs = await Promise.all(Array.from({ length: 4 }, () => providers.signIn('open')));
      expect(tabs.map(({ status, url }) => [status, url])).toEqual(
        Array.from({ length: 4 }, () => [200, '/auth/account']),
      );
      expect(await providers.usersWith(email)).toHaveLength(1);
    }
  });

  it('a person is not kept out by organizations that they could join only by SSO', async () => {
    const domain = `sso${providers.serial}.example`;
    providers.claims.email = `jo@${domain}`;
    const [closed, open] = [
      await providers.service.build.organization(),
      await providers.service.build.organization(),
    ];
    for (const { id, admin } of [closed, open])
      await providers.service
        .as(admin.token)
        .post(`/orgs/${id}/invites`, { emails: [providers.claims.email] });
    const { db } = providers.service.runtime.database;
    await db
      .updateTable('organization')
      .set({ sso: true, email_domains: [domain] })
      .where('id', '=', closed.id)
      .execute();
    const browser = await providers.signIn();
    expect((await browser.api('GET', '/orgs')).json().items).toMatchObject([{ id: open.id }]);
    // Neither does such an organization give an account to anybody whom no other invites.
    providers.claims = { ...providers.claims, sub: `other-${providers.serial}`, email: `other@${domain}` };
    expect((await providers.signIn()).status).toBe(403);
  });

  it('a person signs in with GitHub by a primary, verified address', async () => {
    const [email] = (providers.github.emails as { email: string }[]).map((one) => one.email);
    const { id } = await providers.service.build.user({ email: email as string });
    const withGithub = async () => {
      const browser = new TestBrowser(providers.service.app);
      const asked = await browser.leave('/auth/oidc/github/start');
      expect(asked.pathname).toBe('/login/oauth/authorize');
      const { code_challenge_method: method, scope, state = '' } = Object.fromEntries(asked.searchParams);
      expect([method, scope]).toEqual(['S256', 'read:user user:email']);
      await browser.open(`/auth/oidc/github/callback?code=1&state=${state}`);
      return browser;
    };
    const secondary = { email, primary: false, verified: true };
    for (const emails of [[{ email, primary: true, verified: false }], [secondary], { message: 'no' }]) {
      providers.github.emails = emails;
      const refused = await withGithub();
      expect([refused.status, hasSession(refused)]).toEqual([403, false]);
    }
    providers.github.emails = [
      { email: 'x@y.example', primary: false, verified: true },
      { ...secondary, primary: true },
    ];
    expect(await currentUser(await withGithub())).toMatchObject({ id });
    expect(providers.github.tokenRequest).toMatchObject({
      client_id: 'gh',
      client_secret: 'gh-secret',
      redirect_uri: 'http://docs.test/auth/oidc/github/callback',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('a person is asked for a second factor after OpenID Connect if an organization requires one', async () => {
    const { id: organization } = await providers.service.build.organization();
    const user = await providers.service.build.user({ email: String(providers.claims.email) });
    await providers.service.build.join(organization, user.id, 'read');
    await providers.service.runtime.database.db
      .updateTable('organization')
      .set({ require_second_factor: true })
      .where('id', '=', organization)
      .execute();
    const browser = await providers.signIn('acme', '?returnTo=/v1/user');
    expect([browser.url, hasSession(browser)]).toEqual(['/auth/second-factor', false]);
    expect(browser.text).toContain('requires a second factor');
  });
});

test('sign-ins that are started and not finished are limited by address', async () => {
  const start = () =>
    providers.service.app.inject({ url: '/auth/oidc/acme/start', remoteAddress: '2001:db8:1:2::3' });
  expect((await start()).statusCode).toBe(303);
  await providers.service.runtime.database.db
    .updateTable('attempt')
    .set({ count: 300 })
    .where('key', 'like', 'begin:%')
    .execute();
  expect((await start()).statusCode).toBe(429);
  await providers.service.runtime.database.db.deleteFrom('attempt').where('key', 'like', 'begin:%').execute();
});

test('a user does not find the identities of another user', async () => {
  await providers.service.build.user({ email: String(providers.claims.email) });
  const owner = await providers.signIn();
  const { items } = (await owner.api('GET', '/user/identities')).json();
  const other = await openSessionFor(providers.service, (await providers.service.build.user()).id);
  const browser = new TestBrowser(providers.service.app);
  browser.cookies.set('colophon_session', other.cookie.split('=')[1] as string);
  expect((await browser.api('DELETE', `/user/identities/${items[0].id}`)).statusCode).toBe(204);
  expect((await owner.api('GET', '/user/identities')).json().items).toHaveLength(1);
});
