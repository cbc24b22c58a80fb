import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../helpers/service.ts';
import {
  afterPassword,
  appOf,
  browserOf,
  enrolled,
  hasSession,
  person,
  prove,
  sessionsOf,
  startWithStoppedClock,
} from './second-factors.ts';
import { TestBrowser } from './test-browser.ts';

let service: TestService;

beforeAll(async () => {
  service = await startWithStoppedClock();
});
afterAll(() => service.close());

describe('an authenticator app', () => {
  it('a user sets up an authenticator app on the page, enters a code after the password, and turns the app off with a code', async () => {
    const user = await person(service);
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
    expect(await sessionsOf(service, user.id)).toMatchObject([{ secondFactor: true }]);
    await browser.open('/auth/account');
    expect(browser.text).toContain('10 recovery codes are left.');
    for (const code of codes) expect(browser.text).not.toContain(code);

    const next = await afterPassword(service, user);
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
    expect((await afterPassword(service, user)).url).toBe('/v1/user');
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
    const { id, browser, recoveryCodes, app } = await enrolled(service);
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
    const user = await enrolled(service);
    const code = user.app();
    const browsers = await Promise.all(Array.from({ length: 5 }, () => afterPassword(service, user)));
    const answers = await Promise.all(browsers.map((browser) => prove(browser, code)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401, 401]);
    const browser = await afterPassword(service, user);
    for (const taken of [code, user.app(-1), user.app(2), user.app(-2)])
      expect((await prove(browser, taken)).statusCode).toBe(401);
    expect((await prove(browser, user.app(1))).json()).toMatchObject({ complete: true, next: '/v1/user' });
    expect((await prove(browser, user.app(1))).statusCode).toBe(404);
  });

  it('a recovery code replaces a code of the authenticator app once, however it is typed', async () => {
    const user = await enrolled(service);
    const [code = '', other = ''] = user.recoveryCodes;
    const browsers = await Promise.all([afterPassword(service, user), afterPassword(service, user)]);
    const typed = code.toUpperCase().replaceAll('-', ' ');
    const answers = await Promise.all(browsers.map((browser) => prove(browser, typed)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    const stranger = await enrolled(service);
    expect((await prove(await afterPassword(service, stranger), other)).statusCode).toBe(401);
    const { browser } = user;
    const renewed = await browser.api('POST', '/user/second-factor/recovery-codes', { code: user.app() });
    expect(renewed.json().recoveryCodes).toHaveLength(10);
    expect((await prove(await afterPassword(service, user), other)).statusCode).toBe(401);
    expect((await browser.api('GET', '/user/second-factor')).json()).toEqual({
      object: 'second-factor',
      totp: true,
      recoveryCodes: 10,
      required: false,
    });
  });

  it('a user who enters too many wrong codes is refused, in any browser', async () => {
    const user = await enrolled(service);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const browser = await afterPassword(service, user);
      for (let j = 0; j < 3; j++) statuses.push((await prove(browser, '000000')).statusCode);
    }
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    const late = await afterPassword(service, user);
    for (const code of [user.app(), user.recoveryCodes[0] as string])
      expect((await prove(late, code)).statusCode).toBe(429);
    const other = await enrolled(service);
    expect((await prove(await afterPassword(service, other), other.app())).statusCode).toBe(200);
  });

  it('an authenticator app is set up and turned off only in a session, and only with a code', async () => {
    const user = await enrolled(service);
    const byToken = service.as(user.token);
    for (const path of ['totp', 'totp/confirm', 'recovery-codes', 'remove'])
      expect((await byToken.post(`/user/second-factor/${path}`, { code: user.app() })).status).toBe(403);
    const wrong = await user.browser.api('POST', '/user/second-factor/remove', { code: '000000' });
    expect(wrong.statusCode).toBe(400);
    const fresh = await person(service);
    for (const path of ['recovery-codes', 'remove'])
      expect(
        (await fresh.browser.api('POST', `/user/second-factor/${path}`, { code: '000000' })).statusCode,
      ).toBe(400);
    const early = await fresh.browser.api('POST', '/user/second-factor/totp/confirm', { code: '000000' });
    expect(early.statusCode).toBe(400);
  });

  it('an authenticator app is not required before its first code has confirmed it', async () => {
    const user = await person(service);
    await user.browser.api('POST', '/user/second-factor/totp');
    expect((await afterPassword(service, user)).url).toBe('/v1/user');
  });

  it('the secret of an app that is being set up is shown, and confirmed, only in the session that started', async () => {
    const user = await person(service);
    const other = await browserOf(service, user.id);
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
    expect((await prove(await afterPassword(service, user), appOf(third)(1))).statusCode).toBe(200);
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
  const user = await person(service);
  await service.build.join(id, user.id, 'edit');
  expect((await service.as(user.token).put(path, { required: true })).status).toBe(403);
  expect((await byToken.put(path, { required: true })).status).toBe(409);
  const adminBrowser = await browserOf(service, admin.id);
  const { secret } = (await adminBrowser.api('POST', '/user/second-factor/totp')).json();
  await adminBrowser.api('POST', '/user/second-factor/totp/confirm', { code: appOf(secret)() });
  const stranger = await person(service);
  expect((await byToken.put(path, { required: true })).body).toMatchObject({ required: true });
  expect((await service.as(user.token).get(path)).body).toMatchObject({ required: true });
  expect((await user.browser.api('GET', '/user')).statusCode).toBe(401);
  expect((await service.as(user.token).get('/user')).status).toBe(200);
  for (const { browser } of [{ browser: adminBrowser }, stranger])
    expect((await browser.api('GET', '/user')).statusCode).toBe(200);

  const browser = await afterPassword(service, user);
  expect(browser.url).toBe('/auth/second-factor');
  expect((await browser.api('GET', '/auth/second-factor')).json()).toEqual({ totp: false, passkey: false });
  const pending = /<code>([A-Z2-7 ]+)<\/code>/.exec(browser.text)?.[1]?.replaceAll(' ', '') ?? '';
  await browser.submit({ code: appOf(pending)() });
  expect(browser.text).toContain('Recovery codes');
  expect(browser.text).toContain('href="/v1/user"');
  expect(await sessionsOf(service, user.id)).toMatchObject([{ secondFactor: true }]);
  // Members who have one are asked for it, and do not set up another.
  const again = await afterPassword(service, user);
  expect((await again.api('POST', '/auth/second-factor/totp')).statusCode).toBe(409);
});

it('a user who joins an organization that requires a second factor has to sign in again', async () => {
  const { id, admin } = await service.build.organization();
  const { db } = service.runtime.database;
  await db.updateTable('organization').set({ require_second_factor: true }).where('id', '=', id).execute();
  const [user, bystander] = [await person(service), await person(service)];
  const invited = await service.as(admin.token).post(`/orgs/${id}/link-invites`, { role: 'read' });
  const { status } = await service.as(user.token).post(`/orgs/${id}/invites/${invited.body.secret}`);
  expect(status).toBeLessThan(300);
  expect((await user.browser.api('GET', '/user')).statusCode).toBe(401);
  expect((await bystander.browser.api('GET', '/user')).statusCode).toBe(200);
});
