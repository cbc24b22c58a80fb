/** Somebody else must not gain or keep access to an account: neither by its address, nor by what was issued before. */

import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { jobContext, toolContext } from '../../server/context.ts';
import { TestAuthenticator } from '../helpers/authenticator.ts';
import { linkIn, type Mailbox, startMailbox } from '../helpers/mailbox.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { TestBrowser } from './test-browser.ts';

let service: TestService;
let mailbox: Mailbox;
let invite: string;

beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startTestService(mailbox.environment);
  const { database, services, jobs } = service.runtime;
  await jobs.work(jobContext(database, services));
  const { id, admin } = await service.build.organization();
  const link = await service.as(admin.token).post(`/orgs/${id}/link-invites`, { role: 'read' });
  invite = link.body.secret;
});
afterAll(async () => {
  await service.close();
  await mailbox.close();
});

const PASSWORD = 'velvet anchor 42 sonnet';
let serial = 0;

/** Creates an account with any address, by an invite link; also returns the link of the mail that verifies the address. */
async function signUp() {
  const email = `person${++serial}@takeover.example`;
  const browser = new TestBrowser(service.app);
  const given = { invite, displayName: 'Jo', email, password: PASSWORD };
  const created = await browser.api('POST', '/auth/accounts', given);
  expect(created.statusCode).toBe(200);
  for (const cookie of [created.headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value !== '') browser.cookies.set(name, value);
  }
  return { email, browser, verification: linkIn(await mailbox.mailTo(email)) };
}

async function verified() {
  const user = await signUp();
  await user.browser.open(user.verification);
  await user.browser.submit({});
  return user;
}

async function addPasskey(browser: TestBrowser): Promise<TestAuthenticator> {
  const device = new TestAuthenticator();
  const options = (await browser.api('POST', '/user/passkeys/options')).json();
  const credential = device.create(options);
  expect((await browser.api('POST', '/user/passkeys', { name: 'Key', credential })).statusCode).toBe(201);
  return device;
}

const codeOf = (secret: string) => new TOTP({ secret }).generate();

async function addApp(browser: TestBrowser): Promise<string> {
  const { secret } = (await browser.api('POST', '/user/second-factor/totp')).json();
  const confirmed = await browser.api('POST', '/user/second-factor/totp/confirm', { code: codeOf(secret) });
  expect(confirmed.statusCode).toBe(200);
  return secret;
}

/** A browser that has opened a link to choose a new password. */
async function withPasswordLink(email: string): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/forgotten');
  await browser.submit({ email });
  await browser.open(linkIn(await mailbox.mailTo(email)));
  return browser;
}

async function signIn(email: string, password: string): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/sign-in');
  await browser.submit({ email, password });
  return browser;
}

async function signInWithPasskey(device: TestAuthenticator): Promise<number> {
  const browser = new TestBrowser(service.app);
  const options = (await browser.api('POST', '/auth/passkeys/options')).json();
  const credential = device.use(options);
  return (await browser.api('POST', '/auth/passkeys/sign-in', { credential })).statusCode;
}

describe('an account that somebody else has created with an address', () => {
  test('whoever owns the address takes the account over with a password link, with nothing left that signs in the other', async () => {
    const other = await signUp();
    const device = await addPasskey(other.browser);
    await addApp(other.browser);
    const { token } = (await other.browser.api('POST', '/user/tokens', {})).json();
    expect(await signInWithPasskey(device)).toBe(200);

    const owner = await withPasswordLink(other.email);
    await owner.submit({ password: `${PASSWORD} mine` });
    expect(owner.url).toBe('/auth/account?done=password');
    expect(owner.text).toContain('>verified<');
    expect(await signInWithPasskey(device)).toBe(401);
    expect((await service.as(token).get('/user')).status).toBe(401);
    expect((await other.browser.api('GET', '/user')).statusCode).toBe(401);
    expect((await owner.api('GET', '/user/passkeys')).json().items).toEqual([]);
    expect((await owner.api('GET', '/user/second-factor')).json()).toMatchObject({
      totp: false,
      recoveryCodes: 0,
    });
  });

  test('whoever owns the address does not verify it for the other, neither signed out nor with another account', async () => {
    const other = await signUp();
    const stranger = await signUp();
    const owner = new TestBrowser(service.app);
    await owner.open(other.verification);
    expect(owner.url).toContain('/auth/sign-in');
    await stranger.browser.open(other.verification);
    await stranger.browser.submit({});
    expect(stranger.browser.status).toBe(403);
    expect(stranger.browser.text).toContain('This link is for another account.');
    const secret = other.verification.split('/').at(-1);
    expect((await owner.api('POST', '/auth/email-verification', { secret })).statusCode).toBe(401);
    await other.browser.open('/auth/account');
    expect(other.browser.text).toContain('>not verified<');
  });
});

test('a verification link that is used again, or has expired, says what is the case', async () => {
  const { browser, verification } = await verified();
  await browser.open(verification);
  await browser.submit({});
  expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('has been verified')]);
  const late = await signUp();
  await service.runtime.database.db
    .updateTable('one_time_token')
    .set({ expires_at: new Date(0) })
    .where('purpose', '=', 'email-verification')
    .execute();
  await late.browser.open(late.verification);
  await late.browser.submit({});
  expect(late.browser.status).toBe(404);
  expect(late.browser.text).toContain('<a href="/auth/account">');
});

test('a password link keeps the passkeys, the app and the tokens of a user whose address is verified', async () => {
  const { email, browser } = await verified();
  const device = await addPasskey(browser);
  await addApp(browser);
  const { token } = (await browser.api('POST', '/user/tokens', {})).json();
  const changed = await withPasswordLink(email);
  await changed.submit({ password: `${PASSWORD} new` });
  expect(changed.url).toBe('/auth/second-factor');
  expect(await signInWithPasskey(device)).toBe(200);
  expect((await service.as(token).get('/user')).status).toBe(200);
});

test('whoever knows only the password of a member with a passkey does not get in by setting up an app, until the operator resets the second factor', async () => {
  const { id } = await service.build.organization();
  const { email, browser } = await verified();
  const { id: user } = (await browser.api('GET', '/user')).json();
  await service.build.join(id, user, 'read');
  const { db } = service.runtime.database;
  await db.updateTable('organization').set({ require_second_factor: true }).where('id', '=', id).execute();
  // The app is shown before the passkey is added, and not after.
  const early = await signIn(email, PASSWORD);
  const shown = (await early.api('POST', '/auth/second-factor/totp')).json();
  const device = await addPasskey(browser);
  expect((await early.api('POST', '/auth/second-factor', { code: codeOf(shown.secret) })).statusCode).toBe(
    409,
  );

  const other = await signIn(email, PASSWORD);
  expect(other.url).toBe('/auth/second-factor');
  expect(other.text).toContain('Sign in with your passkey');
  expect(other.text).not.toContain('name="code"');
  expect((await other.api('POST', '/auth/second-factor/totp')).statusCode).toBe(409);
  expect(await signInWithPasskey(device)).toBe(200);

  const { database, services } = service.runtime;
  const operator = createCaller(toolContext(database, services)).installation.users;
  expect(await operator.removeSecondFactor({ user: email })).toEqual({ removed: true });
  expect(await operator.removeSecondFactor({ user: email })).toEqual({ removed: false });
  expect(await signInWithPasskey(device)).toBe(401);
  expect((await signIn(email, PASSWORD)).text).toContain('name="code"');
});

describe('changing the password', () => {
  const change = (browser: TestBrowser) =>
    browser.api('PUT', '/user/password', { current: PASSWORD, password: `${PASSWORD} new` });

  test('a link to choose a password, which somebody may have found in a mailbox, stops working', async () => {
    const { email, browser } = await verified();
    const found = await withPasswordLink(email);
    expect(found.text).toContain('New password');
    expect((await change(browser)).statusCode).toBe(204);
    await found.submit({ password: `${PASSWORD} other` });
    expect(found.status).toBe(404);
  });

  test('a sign-in that began with the previous password cannot be completed', async () => {
    const { email, browser } = await verified();
    const secret = await addApp(browser);
    const began = await signIn(email, PASSWORD);
    expect(began.url).toBe('/auth/second-factor');
    expect((await change(browser)).statusCode).toBe(204);
    await began.submit({ code: new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 }) });
    expect(began.status).toBe(404);
    expect(began.cookies.has('colophon_session')).toBe(false);
  });
});
