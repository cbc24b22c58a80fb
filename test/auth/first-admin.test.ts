import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issuePasswordLink, LINK_LIFETIME, linkPath } from '../../routers/auth/links.operation.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { TestBrowser } from './test-browser.ts';

const ADMIN = 'admin@localhost';
const PASSWORD = 'velvet anchor 42 sonnet';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'docs@example.com' });
});
afterAll(() => service.close());

const signIn = async (email: string, password = PASSWORD) => {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/sign-in');
  await browser.submit({ email, password });
  return browser;
};

const queuedMails = async () =>
  (await sql`select id from pgboss.job where name = 'send-mail'`.execute(service.runtime.database.db)).rows;

test('the first admin chooses a password with the printed link, and signs in with it', async () => {
  const { db } = service.runtime.database;
  const { id } = await db
    .selectFrom('user')
    .select('id')
    .where('email', '=', ADMIN)
    .executeTakeFirstOrThrow();
  const { secret } = await issuePasswordLink(db, id, { lifetime: LINK_LIFETIME.operator });
  const chosen = new TestBrowser(service.app);
  await chosen.open(linkPath('password', secret));
  await chosen.submit({ password: PASSWORD });
  expect(chosen.status).toBe(200);

  for (const given of [ADMIN, ' Admin@LocalHost ']) {
    const browser = await signIn(given);
    expect(await browser.api('GET', '/user')).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining(id),
    });
    const script = new TestBrowser(service.app);
    expect(await script.api('POST', '/auth/sign-in', { email: given, password: PASSWORD })).toMatchObject({
      statusCode: 200,
    });
  }
});

test('failed attempts with one address do not count for others without a dot in their domain', async () => {
  for (let attempt = 0; attempt < 21; attempt++) await signIn('someone@localhost', 'wrong');
  expect((await signIn('someone@localhost')).status).toBe(429);
  expect((await signIn('no address')).status).toBe(401);
  expect((await signIn(ADMIN)).status).toBe(200);
});

test('the address is accepted for a password link, but no mail is sent to it, nor offered to verify it', async () => {
  const ask = async (email: string) => {
    const script = new TestBrowser(service.app);
    return (await script.api('POST', '/auth/password-links', { email })).statusCode;
  };
  expect(await ask(ADMIN)).toBe(204);
  expect(await ask('nobody')).toBe(400);
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/forgotten');
  await browser.submit({ email: ADMIN });
  expect(browser.status).toBe(200);
  const admin = await signIn(ADMIN);
  expect(admin.text).toContain('>not verified<');
  expect(admin.text).not.toContain('Send verification e-mail');
  expect((await admin.api('POST', '/user/email-verification', {})).statusCode).toBe(409);
  expect(await queuedMails()).toEqual([]);
  expect(await ask('someone@example.com')).toBe(204);
  expect(await queuedMails()).toHaveLength(1);
});
