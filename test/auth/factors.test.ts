import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { TestAuthenticator } from '../helpers/authenticator.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { openSessionFor } from './browser.ts';
import { TestBrowser } from './test-browser.ts';

let service: TestService;

const STEP = 30_000;

beforeAll(async () => {
  // In the middle of a time step, so that no code expires before it is sent.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / STEP) * STEP + STEP / 2 });
  service = await startTestService();
});
afterAll(async () => {
  vi.useRealTimers();
  await service.close();
});

const PASSWORD = 'velvet anchor 42 sonnet';

/** A user with a password who is signed in. */
async function person() {
  const { runtime } = service;
  const user = await service.build.user();
  const hash = await runtime.services.passwords.hash(PASSWORD);
  await runtime.database.db
    .insertInto('password')
    .values({ user_id: user.id, hash, changed_at: new Date() })
    .execute();
  const { email } = await runtime.database.db
    .selectFrom('user')
    .select('email')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow();
  return { ...user, email, browser: await browserOf(user.id) };
}

async function browserOf(user: string): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  const { cookie } = await openSessionFor(service, user);
  browser.cookies.set('colophon_session', cookie.split('=')[1] as string);
  return browser;
}

/** An authenticator app: makes the codes of a secret, for a time step relative to now. */
const appOf = (secret: string) => {
  const totp = new TOTP({ secret });
  return (steps = 0) => totp.generate({ timestamp: Date.now() + steps * STEP });
};

/** A user with an app whose code for the previous time step has been used. */
async function enrolled() {
  const user = await person();
  const { secret } = (await user.browser.api('POST', '/user/second-factor/totp')).json();
  const app = appOf(secret);
  const confirmed = await user.browser.api('POST', '/user/second-factor/totp/confirm', { code: app(-1) });
  return { ...user, app, recoveryCodes: confirmed.json().recoveryCodes as string[] };
}

/** A browser in which a user has entered their password. */
async function afterPassword({ email }: { email: string }): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/sign-in?returnTo=/v1/user');
  await browser.submit({ email, password: PASSWORD }, '/auth/sign-in');
  return browser;
}

const hasSession = (browser: TestBrowser) => browser.cookies.has('colophon_session');
const prove = (browser: TestBrowser, code: string) => browser.api('POST', '/auth/second-factor', { code });
const sessionsOf = async (user: string) =>
  service.runtime.database.db
    .selectFrom('session')
    .select(['method', 'second_factor as secondFactor'])
    .where('user_id', '=', user)
    .execute();

describe('an authenticator app', () => {
  it('a user sets up an authenticator app on the page, enters a code after the password, and turns the app off with a code', async () => {
    const user = await person();
    const { browser } = user;
    await browser.open('/auth/account/second-factor');
    expect(browser.text).toContain('<svg xmlns="http://www.w3.org/2000/svg"');
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(browser.text)?.[1]?.replaceAll(' ', '') ?? '';
    const app = appOf(secret);
    await browser.submit({ code: '000000' }, '/auth/account/second-factor');
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('The code is wrong')]);
    // The QR code still shows the same secret.
    expect(browser.text).toContain(secret.slice(0, 4));
    await browser.submit({ code: app(-1) }, '/auth/account/second-factor');
    const codes = [...browser.text.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code);
    expect(new Set(codes).size).toBe(10);
    expect(browser.headers['cache-control']).toBe('no-store');
    expect(await sessionsOf(user.id)).toMatchObject([{ secondFactor: true }]);
    await browser.open('/auth/account');
    expect(browser.text).toContain('10 recovery codes are left.');
    for (const code of codes) expect(browser.text).not.toContain(code);

    const next = await afterPassword(user);
    expect([next.url, hasSession(next)]).toEqual(['/auth/second-factor', false]);
    expect((await next.api('GET', '/user')).statusCode).toBe(401);
    await next.submit({ code: '123' });
    expect([next.status, hasSession(next)]).toEqual([401, false]);
    await next.submit({ code: app().replace(/(...)/, '$1 ') });
    expect([next.url, hasSession(next)]).toEqual(['/v1/user', true]);

    await next.open('/auth/account');
    await next.submit({ 'code-remove': '000000' }, /second-factor\/remove/);
    expect(next.status).toBe(400);
    await next.submit({ 'code-remove': app(1) }, /second-factor\/remove/);
    expect(next.text).toContain('The authenticator app has been turned off.');
    expect((await afterPassword(user)).url).toBe('/v1/user');
    const told = await service.runtime.database.db
      .selectFrom('audit_event')
      .select(['action', 'actor_id as actor'])
      .where('target_id', '=', user.id)
      .where('action', 'like', '%second_factor%')
      .orderBy('id')
      .execute();
    expect(told).toEqual([
      { action: 'second_factor.enabled', actor: user.id },
      { action: 'second_factor.disabled', actor: user.id },
    ]);
  });

  it('the secret of an authenticator app is stored sealed, and its recovery codes hashed', async () => {
    const { id, browser, recoveryCodes, app } = await enrolled();
    const { db } = service.runtime.database;
    const stored = JSON.stringify([
      await db.selectFrom('totp').selectAll().where('user_id', '=', id).execute(),
      await db.selectFrom('recovery_code').selectAll().where('user_id', '=', id).execute(),
    ]);
    for (const code of recoveryCodes) expect(stored).not.toContain(code.replaceAll('-', ''));
    const { secret } = await db
      .selectFrom('totp')
      .select('secret')
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(appOf(service.runtime.services.signer.open('totp', secret))()).toBe(app());
    expect((await browser.api('POST', '/user/second-factor/totp')).statusCode).toBe(409);
  });

  it('a code of an authenticator app works once, even for 20 concurrent requests, and earlier codes do not work', async () => {
    const user = await enrolled();
    const code = user.app();
    const browsers = await Promise.all(Array.from({ length: 5 }, () => afterPassword(user)));
    const answers = await Promise.all(browsers.map((browser) => prove(browser, code)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401, 401]);
    const browser = await afterPassword(user);
    for (const taken of [code, user.app(-1), user.app(2), user.app(-2)])
      expect((await prove(browser, taken)).statusCode).toBe(401);
    expect((await prove(browser, user.app(1))).json()).toMatchObject({ complete: true, next: '/v1/user' });
    expect((await prove(browser, user.app(1))).statusCode).toBe(404);
  });

  it('a recovery code replaces a code of the authenticator app once, however it is typed', async () => {
    const user = await enrolled();
    const [code = '', other = ''] = user.recoveryCodes;
    const browsers = await Promise.all([afterPassword(user), afterPassword(user)]);
    const typed = code.toUpperCase().replaceAll('-', ' ');
    const answers = await Promise.all(browsers.map((browser) => prove(browser, typed)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    const stranger = await enrolled();
    expect((await prove(await afterPassword(stranger), other)).statusCode).toBe(401);
    const { browser } = user;
    const renewed = await browser.api('POST', '/user/second-factor/recovery-codes', { code: user.app() });
    expect(renewed.json().recoveryCodes).toHaveLength(10);
    expect((await prove(await afterPassword(user), other)).statusCode).toBe(401);
    expect((await browser.api('GET', '/user/second-factor')).json()).toEqual({
      object: 'second-factor',
      totp: true,
      recoveryCodes: 10,
      required: false,
    });
  });

  it('a user who enters too many wrong codes is refused, in any browser', async () => {
    const user = await enrolled();
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const browser = await afterPassword(user);
      for (let j = 0; j < 3; j++) statuses.push((await prove(browser, '000000')).statusCode);
    }
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    const late = await afterPassword(user);
    for (const code of [user.app(), user.recoveryCodes[0] as string])
      expect((await prove(late, code)).statusCode).toBe(429);
    const other = await enrolled();
    expect((await prove(await afterPassword(other), other.app())).statusCode).toBe(200);
  });

  it('an authenticator app is set up and turned off only in a session, and only with a code', async () => {
    const user = await enrolled();
    const byToken = service.as(user.token);
    for (const path of ['totp', 'totp/confirm', 'recovery-codes', 'remove'])
      expect((await byToken.post(`/user/second-factor/${path}`, { code: user.app() })).status).toBe(403);
    const wrong = await user.browser.api('POST', '/user/second-factor/remove', { code: '000000' });
    expect(wrong.statusCode).toBe(400);
    const fresh = await person();
    for (const path of ['recovery-codes', 'remove'])
      expect(
        (await fresh.browser.api('POST', `/user/second-factor/${path}`, { code: '000000' })).statusCode,
      ).toBe(400);
    const early = await fresh.browser.api('POST', '/user/second-factor/totp/confirm', { code: '000000' });
    expect(early.statusCode).toBe(400);
  });

  it('an authenticator app is not required before its first code has confirmed it', async () => {
    const user = await person();
    await user.browser.api('POST', '/user/second-factor/totp');
    expect((await afterPassword(user)).url).toBe('/v1/user');
  });

  it('the secret of an app that is being set up is shown, and confirmed, only in the session that started', async () => {
    const user = await person();
    const other = await browserOf(user.id);
    const setUp = async (browser: TestBrowser) =>
      (await browser.api('POST', '/user/second-factor/totp')).json().secret as string;
    const confirm = async (browser: TestBrowser, secret: string) =>
      (await browser.api('POST', '/user/second-factor/totp/confirm', { code: appOf(secret)() })).statusCode;
    const first = await setUp(user.browser);
    expect(await setUp(user.browser)).toBe(first);
    const second = await setUp(other);
    expect(second).not.toBe(first);
    expect(await confirm(user.browser, first)).toBe(400);
    expect(await confirm(user.browser, second)).toBe(400);
    const third = await setUp(user.browser);
    expect([first, second]).not.toContain(third);
    expect(await confirm(user.browser, third)).toBe(200);
    expect((await prove(await afterPassword(user), appOf(third)(1))).statusCode).toBe(200);
    expect((await other.api('POST', '/user/second-factor/totp')).statusCode).toBe(409);
  });

  it('a browser without a pending sign-in is not asked for a code', async () => {
    const browser = new TestBrowser(service.app);
    await browser.open('/auth/second-factor');
    expect(browser.status).toBe(404);
    expect((await prove(browser, '000000')).statusCode).toBe(404);
    expect((await browser.api('POST', '/auth/second-factor/totp')).statusCode).toBe(404);
    expect((await browser.api('GET', '/auth/second-factor')).statusCode).toBe(404);
  });
});

it('an organization that requires a second factor ends sessions without one, and its members set one up when they sign in', async () => {
  const { id, admin } = await service.build.organization();
  const path = `/orgs/${id}/second-factor`;
  const byToken = service.as(admin.token);
  const user = await person();
  await service.build.join(id, user.id, 'edit');
  expect((await service.as(user.token).put(path, { required: true })).status).toBe(403);
  expect((await byToken.put(path, { required: true })).status).toBe(409);
  const adminBrowser = await browserOf(admin.id);
  const { secret } = (await adminBrowser.api('POST', '/user/second-factor/totp')).json();
  await adminBrowser.api('POST', '/user/second-factor/totp/confirm', { code: appOf(secret)() });
  const stranger = await person();
  expect((await byToken.put(path, { required: true })).body).toMatchObject({ required: true });
  expect((await service.as(user.token).get(path)).body).toMatchObject({ required: true });
  expect((await user.browser.api('GET', '/user')).statusCode).toBe(401);
  expect((await service.as(user.token).get('/user')).status).toBe(200);
  for (const { browser } of [{ browser: adminBrowser }, stranger])
    expect((await browser.api('GET', '/user')).statusCode).toBe(200);

  const browser = await afterPassword(user);
  expect(browser.url).toBe('/auth/second-factor');
  expect((await browser.api('GET', '/auth/second-factor')).json()).toEqual({ totp: false, passkey: false });
  const pending = /<code>([A-Z2-7 ]+)<\/code>/.exec(browser.text)?.[1]?.replaceAll(' ', '') ?? '';
  await browser.submit({ code: appOf(pending)() });
  expect(browser.text).toContain('Recovery codes');
  expect(browser.text).toContain('href="/v1/user"');
  expect(await sessionsOf(user.id)).toMatchObject([{ secondFactor: true }]);
  // Members who have one are asked for it, and do not set up another.
  const again = await afterPassword(user);
  expect((await again.api('POST', '/auth/second-factor/totp')).statusCode).toBe(409);
});

it('a user who joins an organization that requires a second factor has to sign in again', async () => {
  const { id, admin } = await service.build.organization();
  const { db } = service.runtime.database;
  await db.updateTable('organization').set({ require_second_factor: true }).where('id', '=', id).execute();
  const [user, bystander] = [await person(), await person()];
  const invited = await service.as(admin.token).post(`/orgs/${id}/link-invites`, { role: 'read' });
  const { status } = await service.as(user.token).post(`/orgs/${id}/invites/${invited.body.secret}`);
  expect(status).toBeLessThan(300);
  expect((await user.browser.api('GET', '/user')).statusCode).toBe(401);
  expect((await bystander.browser.api('GET', '/user')).statusCode).toBe(200);
});

/** Adds a passkey to a user who is signed in. */
async function addPasskey({ browser }: { browser: TestBrowser }, name = 'Laptop') {
  const device = new TestAuthenticator();
  const options = (await browser.api('POST', '/user/passkeys/options')).json();
  const added = await browser.api('POST', '/user/passkeys', { name, credential: device.create(options) });
  return { device, options, added };
}

const challenged = async (browser: TestBrowser) =>
  (await browser.api('POST', '/auth/passkeys/options')).json() as { challenge: string };

const signInWith = (browser: TestBrowser, credential: object) =>
  browser.api('POST', '/auth/passkeys/sign-in', { credential, returnTo: '/v1/user' });

describe('a passkey', () => {
  it('a user adds a passkey, signs in with it without a second factor, renames, lists and removes it', async () => {
    const user = await enrolled();
    const { device, options, added } = await addPasskey(user);
    expect(options).toMatchObject({
      rp: { id: 'docs.test' },
      user: { name: user.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    expect(added.statusCode).toBe(201);
    expect(added.json()).toMatchObject({ object: 'passkey', name: 'Laptop', synced: false });
    const browser = new TestBrowser(service.app);
    const answer = await signInWith(browser, device.use(await challenged(browser)));
    expect(answer.json()).toMatchObject({ complete: true, next: '/v1/user' });
    expect(await sessionsOf(user.id)).toContainEqual({ method: 'passkey', secondFactor: true });

    const passkey = added.json().id;
    const client = service.as(user.token);
    const renamed = await client.patch(`/user/passkeys/${passkey}`, { name: 'Old laptop' });
    expect(renamed.body).toMatchObject({ name: 'Old laptop', lastUsedAt: expect.any(String) });
    expect((await client.get('/user/passkeys')).body).toMatchObject({ count: 1, items: [{ id: passkey }] });
    const other = service.as((await person()).token);
    expect((await other.patch(`/user/passkeys/${passkey}`, { name: 'Mine' })).status).toBe(404);
    expect((await other.delete(`/user/passkeys/${passkey}`)).status).toBe(204);
    expect((await other.get('/user/passkeys')).body.items).toEqual([]);
    const again = (await user.browser.api('POST', '/user/passkeys/options')).json();
    expect(again.excludeCredentials).toMatchObject([{ id: device.id }]);
    await user.browser.open('/auth/account');
    await user.browser.submit(
      { [`name-${passkey}`]: 'New laptop' },
      `/auth/account/passkeys/${passkey}/name`,
    );
    expect(user.browser.text).toContain('New laptop');
    await user.browser.submit({}, `/auth/account/passkeys/${passkey}/remove`);
    expect(user.browser.text).toContain('The passkey has been removed.');
    expect((await signInWith(browser, device.use(await challenged(browser)))).statusCode).toBe(401);
  });

  it.for<[string, Parameters<TestAuthenticator['create']>[1]]>([
    ['another origin', { origin: 'http://elsewhere.test' }],
    ['another port', { origin: 'http://docs.test:81' }],
    ['another service', { rpId: 'elsewhere.test' }],
    ['a device that did not verify its user', { isVerified: false }],
    ['a response to another kind of request', { type: 'webauthn.get' }],
    ['a challenge that was never issued', { challenge: 'AAAA' }],
    [
      'an attestation by certificates',
      {
        format: 'packed',
        statement: new Map<string, unknown>([
          ['alg', -7],
          ['sig', new Uint8Array(70)],
          ['x5c', [new Uint8Array(10)]],
        ]),
      },
    ],
    ['an attestation of another format', { format: 'fido-u2f' }],
    ['an attestation with something in it', { statement: new Map<string, unknown>([['alg', -7]]) }],
  ])('a passkey is not added with %s', async ([, lies]) => {
    const { browser } = await person();
    const options = (await browser.api('POST', '/user/passkeys/options')).json();
    const credential = new TestAuthenticator().create(options, lies);
    const { statusCode } = await browser.api('POST', '/user/passkeys', { name: 'x', credential });
    expect(statusCode).toBe(400);
    expect((await browser.api('GET', '/user/passkeys')).json().items).toEqual([]);
  });

  it('a passkey with certificates is refused without looking at them', async () => {
    const { browser } = await person();
    for (const format of ['fido-u2f', 'tpm', 'packed']) {
      const options = (await browser.api('POST', '/user/passkeys/options')).json();
      const statement = new Map<string, unknown>([['x5c', [new Uint8Array(10)]]]);
      const credential = new TestAuthenticator().create(options, { format, statement });
      const { body } = await browser.api('POST', '/user/passkeys', { name: 'x', credential });
      expect(body).toContain('it has an attestation, which was not requested');
    }
  });

  it('a passkey is refused a second time, for another user, with a token, or with a challenge of another user or for signing in', async () => {
    const [one, other] = [await person(), await person()];
    const { device, options } = await addPasskey(one);
    const add = ({ browser }: { browser: TestBrowser }, credential: object) =>
      browser.api('POST', '/user/passkeys', { name: 'x', credential });
    const spare = () => new TestAuthenticator();
    expect((await add(one, spare().create(options))).statusCode).toBe(400);
    const fresh = async ({ browser }: { browser: TestBrowser }) =>
      (await browser.api('POST', '/user/passkeys/options')).json();
    expect((await add(other, spare().create(await fresh(one)))).statusCode).toBe(400);
    const signing = await challenged(one.browser);
    expect((await add(one, spare().create({ ...signing, user: options.user }))).statusCode).toBe(400);
    for (const user of [one, other])
      expect((await add(user, spare().create(await fresh(user), { id: device.id }))).statusCode).toBe(409);
    const byToken = service.as(other.token);
    expect((await byToken.post('/user/passkeys/options')).status).toBe(403);
    const credential = spare().create(await fresh(other));
    expect((await byToken.post('/user/passkeys', { name: 'x', credential })).status).toBe(403);
  });

  it.for<[string, Parameters<TestAuthenticator['use']>[1]]>([
    ['another origin', { origin: 'http://elsewhere.test' }],
    ['another service', { rpId: 'elsewhere.test' }],
    ['a device that did not verify its user', { isVerified: false }],
    ['a response to another kind of request', { type: 'webauthn.create' }],
    ['a challenge that was never issued', { challenge: 'AAAA' }],
    ['the key of another passkey', { key: new TestAuthenticator().keys.privateKey }],
    ['no user', { userHandle: null }],
    ['another user', { userHandle: Buffer.from('0'.repeat(20)).toString('base64url') }],
    ['an unknown id', { id: 'AAAA' }],
  ])('signs nobody in with %s', async ([, lies]) => {
    const { device } = await addPasskey(await person());
    const browser = new TestBrowser(service.app);
    const answer = await signInWith(browser, device.use(await challenged(browser), lies));
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('a passkey is refused with the id of another account, with a used response, or with a counter that went back', async () => {
    const [one, other] = [await person(), await person()];
    const { device } = await addPasskey(one);
    const { device: foreign } = await addPasskey(other);
    const browser = new TestBrowser(service.app);
    const swapped = device.use(await challenged(browser), { id: foreign.id, userHandle: foreign.userHandle });
    expect((await signInWith(browser, swapped)).statusCode).toBe(401);

    const answer = device.use(await challenged(browser));
    const statuses = await Promise.all(Array.from({ length: 5 }, () => signInWith(browser, answer)));
    expect(statuses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401, 401]);
    const registration = (await one.browser.api('POST', '/user/passkeys/options')).json();
    expect((await signInWith(browser, device.use(registration))).statusCode).toBe(401);

    const using = async (counter: number) =>
      (await signInWith(browser, device.use(await challenged(browser), { counter }))).statusCode;
    expect([await using(7), await using(7), await using(6), await using(0), await using(8)]).toEqual([
      200, 401, 401, 401, 200,
    ]);
    // Clones of the device that respond at the same time.
    const given = await Promise.all(Array.from({ length: 8 }, () => challenged(browser)));
    const copies = await Promise.all(
      given.map((challenge) => signInWith(browser, device.use(challenge, { counter: 9 }))),
    );
    expect(copies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  it('a passkey signs in no disabled user, and only from a page of the service', async () => {
    const user = await person();
    const { device } = await addPasskey(user);
    const { db } = service.runtime.database;
    await db.updateTable('user').set({ disabled_at: new Date() }).where('id', '=', user.id).execute();
    const browser = new TestBrowser(service.app);
    expect((await signInWith(browser, device.use(await challenged(browser)))).statusCode).toBe(401);
    for (const url of ['/v1/auth/passkeys/options', '/v1/auth/passkeys/sign-in']) {
      const headers = { origin: 'http://elsewhere.test', 'sec-fetch-site': 'cross-site' };
      const payload = { credential: device.use({ challenge: 'AAAA' }) };
      expect((await service.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(403);
    }
  });
});

test('a session opened by the SAML provider of an organization can neither see nor add ways to sign in', async () => {
  const user = await enrolled();
  const { device, added } = await addPasskey(user);
  const { id: organization } = await service.build.organization();
  await service.build.join(organization, user.id, 'read');
  const fresh = (await user.browser.api('POST', '/user/passkeys/options')).json();
  await service.runtime.database.db
    .updateTable('session')
    .set({ organization_id: organization, method: 'saml' })
    .where('user_id', '=', user.id)
    .execute();
  const { browser } = user;
  const credential = new TestAuthenticator().create(fresh);
  const id = added.json().id;
  const calls = [
    ['GET', '/user/second-factor', undefined],
    ['POST', '/user/second-factor/totp', {}],
    ['POST', '/user/second-factor/remove', { code: user.app() }],
    ['POST', '/user/second-factor/recovery-codes', { code: user.app() }],
    ['GET', '/user/passkeys', undefined],
    ['POST', '/user/passkeys/options', {}],
    ['POST', '/user/passkeys', { name: 'x', credential }],
    ['DELETE', `/user/passkeys/${id}`, undefined],
    ['GET', '/user/identities', undefined],
    ['DELETE', '/user/identities/x', undefined],
  ] as const;
  for (const [method, path, body] of calls)
    expect([path, (await browser.api(method, path, body)).statusCode]).toEqual([path, 403]);
  await browser.open('/auth/account');
  expect([browser.status, browser.text.includes('Passkeys')]).toEqual([200, false]);
  const other = new TestBrowser(service.app);
  expect((await signInWith(other, device.use(await challenged(other)))).statusCode).toBe(200);
});
