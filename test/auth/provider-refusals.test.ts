import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestBrowser } from './test-browser.ts';
import { hasSession, pathOf, startProviders, type TestProviders, throughIssuer } from './test-providers.ts';

let providers: TestProviders;
beforeAll(async () => {
  providers = await startProviders();
});
afterAll(() => providers.close());
beforeEach(() => providers.reset());

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
    ['a wrong nonce', () => Object.assign(providers.claims, { nonce: 'other' })],
    ['no nonce', () => Object.assign(providers.claims, { nonce: undefined })],
    ['the audience of another client', () => Object.assign(providers.claims, { aud: 'other' })],
    [
      'an additional audience, which is the authorized party',
      () => Object.assign(providers.claims, { aud: ['docs', 'other'], azp: 'other' }),
    ],
    ['another issuer in the token', () => Object.assign(providers.claims, { iss: 'https://other.example' })],
    [
      'another issuer in the callback',
      () =>
        Object.assign(providers.alter, {
          redirect: (url: URL) => url.searchParams.set('iss', 'https://other.example'),
        }),
    ],
    ['a subject that no issuer gives', () => Object.assign(providers.claims, { sub: 'a\0b' })],
    ['a subject that is too long', () => Object.assign(providers.claims, { sub: 'a'.repeat(300) })],
    [
      'a token that has expired',
      () => Object.assign(providers.claims, { exp: Math.floor(Date.now() / 1000) - 600 }),
    ],
    ['a token that is signed by another', () => Object.assign(providers.alter, { tokens: otherKey })],
    ['a token that is not signed', () => Object.assign(providers.alter, { tokens: unsigned })],
    [
      'no token',
      () =>
        Object.assign(providers.alter, {
          tokens: (body: object) => Object.assign(body, { id_token: undefined }),
        }),
    ],
    [
      'another state',
      () =>
        Object.assign(providers.alter, { redirect: (url: URL) => url.searchParams.set('state', 'other') }),
    ],
    [
      'two states',
      () =>
        Object.assign(providers.alter, { redirect: (url: URL) => url.searchParams.append('state', 'other') }),
    ],
    [
      'no code',
      () => Object.assign(providers.alter, { redirect: (url: URL) => url.searchParams.delete('code') }),
    ],
    [
      'an unknown code',
      () => Object.assign(providers.alter, { redirect: (url: URL) => url.searchParams.set('code', 'other') }),
    ],
    [
      'an error',
      () =>
        Object.assign(providers.alter, {
          redirect: (url: URL) => url.searchParams.set('error', 'access_denied'),
        }),
    ],
  ])('nobody is signed in with %s', async ([, prepare]) => {
    await providers.service.build.user({ email: String(providers.claims.email) });
    prepare();
    const browser = await providers.signIn();
    expect([browser.status, hasSession(browser)]).toEqual([401, false]);
    expect(browser.text).toContain('Acme &amp; Co did not sign you in.');
  });

  it('nobody is signed in twice by the same response, in another browser, or by the response of another provider', async () => {
    await providers.service.build.user({ email: String(providers.claims.email) });
    const browser = new TestBrowser(providers.service.app);
    const back = await throughIssuer(await browser.leave('/auth/oidc/acme/start'));
    const elsewhere = new TestBrowser(providers.service.app);
    await elsewhere.leave('/auth/oidc/acme/start');
    const without = new TestBrowser(providers.service.app);
    for (const other of [elsewhere, without]) {
      await other.open(pathOf(back));
      expect([other.status, hasSession(other)]).toEqual([401, false]);
    }
    const copied = new TestBrowser(providers.service.app);
    for (const [name, value] of browser.cookies) copied.cookies.set(name, value);
    await browser.open(pathOf(back));
    expect(hasSession(browser)).toBe(true);
    await copied.open(pathOf(back));
    expect([copied.status, hasSession(copied)]).toEqual([401, false]);

    const mixed = new TestBrowser(providers.service.app);
    const answer = await throughIssuer(await mixed.leave('/auth/oidc/acme/start'));
    await mixed.open(pathOf(answer).replace('/acme/', '/open/'));
    expect([mixed.status, hasSession(mixed)]).toEqual([401, false]);
  });

  it('nobody is signed in by GitHub with another state', async () => {
    const [one] = providers.github.emails as { email: string }[];
    await providers.service.build.user({ email: one?.email ?? '' });
    const browser = new TestBrowser(providers.service.app);
    await browser.leave('/auth/oidc/github/start');
    await browser.open('/auth/oidc/github/callback?code=1&state=other');
    expect([browser.status, hasSession(browser)]).toEqual([401, false]);
  });

  it('nobody is signed in by an issuer while its discovery document names another issuer', async () => {
    await providers.service.build.user({ email: String(providers.claims.email) });
    const open = async () => {
      const browser = new TestBrowser(providers.service.app);
      await browser.open('/auth/oidc/changed/start');
      return browser;
    };
    providers.alter.metadata = (body) => Object.assign(body, { issuer: 'https://other.example' });
    const browser = await open();
    expect([browser.status, browser.text]).toEqual([
      503,
      expect.stringContaining('changed cannot be reached'),
    ]);
    providers.alter = {};
    expect(hasSession(await providers.signIn('changed'))).toBe(true);
  });

  it('nobody is signed in by a provider that is down, which the page says, or that is not configured', async () => {
    const browser = new TestBrowser(providers.service.app);
    await browser.open('/auth/oidc/down/start');
    expect([browser.status, browser.text]).toEqual([
      503,
      expect.stringContaining('down cannot be reached right now'),
    ]);
    expect(browser.text).toContain('action="/auth/sign-in"');
    for (const path of ['start', 'callback'])
      expect((await providers.service.app.inject(`/auth/oidc/none/${path}`)).statusCode).toBe(
        path === 'start' ? 404 : 401,
      );
  });
});
