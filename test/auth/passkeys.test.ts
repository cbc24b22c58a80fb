import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { TestAuthenticator } from '../helpers/authenticator.ts';
import type { TestService } from '../helpers/service.ts';
import {
  addPasskey,
  challenged,
  enrolled,
  person,
  sessionsOf,
  signInWith,
  startWithStoppedClock,
} from './second-factors.ts';
import { TestBrowser } from './test-browser.ts';

let service: TestService;

beforeAll(async () => {
  service = await startWithStoppedClock();
});
afterAll(() => service.close());

describe('a passkey', () => {
  it('a user adds a passkey, signs in with it without a second factor, renames, lists and removes it', async () => {
    const user = await enrolled(service);
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
    expect(await sessionsOf(service, user.id)).toContainEqual({ method: 'passkey', secondFactor: true });

    const passkey = added.json().id;
    const client = service.as(user.token);
    const renamed = await client.patch(`/user/passkeys/${passkey}`, { name: 'Old laptop' });
    expect(renamed.body).toMatchObject({ name: 'Old laptop', lastUsedAt: expect.any(String) });
    expect((await client.get('/user/passkeys')).body).toMatchObject({ count: 1, items: [{ id: passkey }] });
    const other = service.as((await person(service)).token);
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
    const { browser } = await person(service);
    const options = (await browser.api('POST', '/user/passkeys/options')).json();
    const credential = new TestAuthenticator().create(options, lies);
    const { statusCode } = await browser.api('POST', '/user/passkeys', { name: 'x', credential });
    expect(statusCode).toBe(400);
    expect((await browser.api('GET', '/user/passkeys')).json().items).toEqual([]);
  });

  it('a passkey with certificates is refused without looking at them', async () => {
    const { browser } = await person(service);
    for (const format of ['fido-u2f', 'tpm', 'packed']) {
      const options = (await browser.api('POST', '/user/passkeys/options')).json();
      const statement = new Map<string, unknown>([['x5c', [new Uint8Array(10)]]]);
      const credential = new TestAuthenticator().create(options, { format, statement });
      const { body } = await browser.api('POST', '/user/passkeys', { name: 'x', credential });
      expect(body).toContain('it has an attestation, which was not requested');
    }
  });

  it('a passkey is refused a second time, for another user, with a token, or with a challenge of another user or for signing in', async () => {
    const [one, other] = [await person(service), await person(service)];
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
    const { device } = await addPasskey(await person(service));
    const browser = new TestBrowser(service.app);
    const answer = await signInWith(browser, device.use(await challenged(browser), lies));
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('a passkey is refused with the id of another account, with a used response, or with a counter that went back', async () => {
    const [one, other] = [await person(service), await person(service)];
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
    const user = await person(service);
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
  const user = await enrolled(service);
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

test('a sign-in with a passkey that is removed meanwhile opens no session', async () => {
  const user = await enrolled(service);
  const { device, added } = await addPasskey(user);
  const { database } = service.runtime;
  const transaction = database.transaction.bind(database);
  const browser = new TestBrowser(service.app);
  const response = device.use(await challenged(browser));
  // The first transaction of the request is the one that opens the session.
  const spy = vi.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    await database.db.deleteFrom('passkey').where('id', '=', added.json().id).execute();
    return transaction(work);
  });
  const { statusCode } = await signInWith(browser, response);
  spy.mockRestore();
  expect(statusCode).toBe(401);
  expect(await sessionsOf(service, user.id)).not.toContainEqual(
    expect.objectContaining({ method: 'passkey' }),
  );
});
