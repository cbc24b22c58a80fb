/** Users with second factors, in their browsers. */

import { TOTP } from 'otpauth';
import { vi } from 'vitest';
import { TestAuthenticator } from '../helpers/authenticator.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { openSessionFor } from './browser.ts';
import { TestBrowser } from './test-browser.ts';

/** How long a code of an authenticator app is valid, in milliseconds. */
const STEP = 30_000;

/** Starts a service, and stops the clock in the middle of a time step, so that no code expires before it is sent. */
export async function startWithStoppedClock(): Promise<TestService> {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / STEP) * STEP + STEP / 2 });
  return startTestService();
}

const PASSWORD = 'velvet anchor 42 sonnet';

/** A user with a password who is signed in. */
export async function person(service: TestService) {
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
  return { ...user, email, browser: await browserOf(service, user.id) };
}

export async function browserOf(service: TestService, user: string): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  const { cookie } = await openSessionFor(service, user);
  browser.cookies.set('colophon_session', cookie.split('=')[1] as string);
  return browser;
}

/** An authenticator app: makes the codes of a secret, for a time step relative to now. */
export const appOf = (secret: string) => {
  const totp = new TOTP({ secret });
  return (steps = 0) => totp.generate({ timestamp: Date.now() + steps * STEP });
};

/** A user with an app whose code for the previous time step has been used. */
export async function enrolled(service: TestService) {
  const user = await person(service);
  const { secret } = (await user.browser.api('POST', '/user/second-factor/totp')).json();
  const app = appOf(secret);
  const confirmed = await user.browser.api('POST', '/user/second-factor/totp/confirm', { code: app(-1) });
  return { ...user, app, recoveryCodes: confirmed.json().recoveryCodes as string[] };
}

/** A browser in which a user has entered their password. */
export async function afterPassword(
  service: TestService,
  { email }: { email: string },
): Promise<TestBrowser> {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/sign-in?returnTo=/v1/user');
  await browser.submit({ email, password: PASSWORD }, '/auth/sign-in');
  return browser;
}

export const hasSession = (browser: TestBrowser) => browser.cookies.has('colophon_session');
export const prove = (browser: TestBrowser, code: string) =>
  browser.api('POST', '/auth/second-factor', { code });
export const sessionsOf = async (service: TestService, user: string) =>
  service.runtime.database.db
    .selectFrom('session')
    .select(['method', 'second_factor as secondFactor'])
    .where('user_id', '=', user)
    .execute();

/** Adds a passkey to a user who is signed in. */
export async function addPasskey({ browser }: { browser: TestBrowser }, name = 'Laptop') {
  const device = new TestAuthenticator();
  const options = (await browser.api('POST', '/user/passkeys/options')).json();
  const added = await browser.api('POST', '/user/passkeys', { name, credential: device.create(options) });
  return { device, options, added };
}

export const challenged = async (browser: TestBrowser) =>
  (await browser.api('POST', '/auth/passkeys/options')).json() as { challenge: string };

export const signInWith = (browser: TestBrowser, credential: object) =>
  browser.api('POST', '/auth/passkeys/sign-in', { credential, returnTo: '/v1/user' });
