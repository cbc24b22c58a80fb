/** What is begun with a password, or without a second factor, when that is changed meanwhile. */

import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { outsideTransaction } from '../helpers/transactions.ts';
import { appOf, browserOf, hasSession, person } from './second-factors.ts';
import { TestBrowser } from './test-browser.ts';
import { PASSWORD } from './users-with-passwords.ts';

const NEW_PASSWORD = 'quite new sonnet 77 harbour';

let service: TestService;
let tools: ReturnType<typeof createCaller>['installation'];
beforeAll(async () => {
  service = await startTestService();
  const { database, services } = service.runtime;
  tools = createCaller(toolContext(database, services)).installation;
});
afterAll(() => service.close());

/** Runs `meanwhile` after a password of the request has been verified, and before anything else is done. */
async function duringVerification<Result>(
  request: () => Promise<Result>,
  meanwhile: () => Promise<unknown>,
): Promise<Result> {
  const { passwords } = service.runtime.services;
  const verify = passwords.verify.bind(passwords);
  const spy = vi.spyOn(passwords, 'verify').mockImplementationOnce(async (...given) => {
    const isRight = await verify(...given);
    await meanwhile();
    return isRight;
  });
  try {
    return await request();
  } finally {
    spy.mockRestore();
  }
}

/**
 * Begins `meanwhile` once it has been decided which steps a sign-in needs, and waits until it is blocked.
 * @returns what it comes to once the sign-in is complete
 */
async function duringSteps<Result>(
  signingIn: () => Promise<unknown>,
  meanwhile: () => Promise<Result>,
): Promise<{ outcome: Promise<Result> }> {
  const { database, services } = service.runtime;
  const [step] = services.signInSteps;
  if (!step) throw new Error('There is no step.');
  const isNeeded = step.isNeeded.bind(step);
  const begun = Promise.withResolvers<{ outcome: Promise<Result> }>();
  const spy = vi.spyOn(step, 'isNeeded').mockImplementationOnce(async (...given) => {
    const isIt = await isNeeded(...given);
    begun.resolve({ outcome: outsideTransaction(meanwhile) });
    await outsideTransaction(() => untilBlocked((statement) => sql.raw(statement).execute(database.db)));
    return isIt;
  });
  await signingIn();
  spy.mockRestore();
  return begun.promise;
}

/** Signs in on the page. */
async function signIn(browser: TestBrowser, email: string, password: string): Promise<number> {
  await browser.open('/auth/sign-in?returnTo=/v1/user');
  await browser.submit({ email, password }, '/auth/sign-in');
  return browser.status;
}

const isSignedIn = async (browser: TestBrowser) => (await browser.api('GET', '/user')).statusCode === 200;

test('a sign-in with a password that is changed meanwhile opens no session', async () => {
  const { id, email } = await person(service);
  const other = new TestBrowser(service.app);
  const status = await duringVerification(
    () => signIn(other, email, PASSWORD),
    () => tools.users.setPassword({ user: id, password: NEW_PASSWORD }),
  );
  expect([status, await isSignedIn(other)]).toEqual([401, false]);
  await signIn(other, email, NEW_PASSWORD);
  expect(await isSignedIn(other)).toBe(true);
});

test('a password that is changed meanwhile does not permit another change', async () => {
  const { id, email, token } = await person(service);
  // A session would have ended.
  const { status } = await duringVerification(
    () =>
      service.as(token).put('/user/password', { current: PASSWORD, password: 'the choice of somebody 3' }),
    () => tools.users.setPassword({ user: id, password: NEW_PASSWORD }),
  );
  expect(status).toBe(400);
  const other = new TestBrowser(service.app);
  await signIn(other, email, NEW_PASSWORD);
  expect(await isSignedIn(other)).toBe(true);
});

test('a sign-in asks for the second factor that is set up meanwhile', async () => {
  const { id, email } = await person(service);
  const other = new TestBrowser(service.app);
  const status = await duringVerification(
    () => signIn(other, email, PASSWORD),
    async () => {
      const browser = await browserOf(service, id);
      const { secret } = (await browser.api('POST', '/user/second-factor/totp')).json();
      await browser.api('POST', '/user/second-factor/totp/confirm', { code: appOf(secret)() });
    },
  );
  expect([status, other.url, await isSignedIn(other)]).toEqual([200, '/auth/second-factor', false]);
});

test('a session ends if the password is changed while it is opened', async () => {
  const { id, email } = await person(service);
  const other = new TestBrowser(service.app);
  const { outcome } = await duringSteps(
    () => signIn(other, email, PASSWORD),
    () => tools.users.setPassword({ user: id, password: NEW_PASSWORD }),
  );
  expect(hasSession(other)).toBe(true);
  await outcome;
  expect(await isSignedIn(other)).toBe(false);
});

test('a session without a second factor ends if an organization requires one while it is opened', async () => {
  const { id, admin } = await service.build.organization();
  const user = await person(service);
  await service.build.join(id, user.id, 'read');
  const owner = await browserOf(service, admin.id);
  const { secret } = (await owner.api('POST', '/user/second-factor/totp')).json();
  await owner.api('POST', '/user/second-factor/totp/confirm', { code: appOf(secret)() });
  const other = new TestBrowser(service.app);
  const { outcome } = await duringSteps(
    () => signIn(other, user.email, PASSWORD),
    () => service.as(admin.token).put(`/orgs/${id}/second-factor`, { required: true }),
  );
  expect(hasSession(other)).toBe(true);
  expect((await outcome).status).toBe(200);
  expect(await isSignedIn(other)).toBe(false);
});
