import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobContext } from '../../server/context.ts';
import { linkIn, type Mailbox, startMailbox } from '../helpers/mailbox.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { TestBrowser } from './test-browser.ts';
import { newEmail, PASSWORD, userWithPassword } from './users-with-passwords.ts';

let service: TestService;
let organization: { id: string; admin: { id: string; token: string } };
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startTestService(mailbox.environment);
  const { database, services, jobs } = service.runtime;
  await jobs.work(jobContext(database, services));
  organization = await service.build.organization({ title: 'Acme <Docs>' });
});
afterAll(async () => {
  await service.close();
  await mailbox.close();
});

const invite = async (email: string) =>
  service
    .as(organization.admin.token)
    .post(`/orgs/${organization.id}/invites`, { emails: [email], role: 'edit' });
const roleOf = (user: string) =>
  service.as(organization.admin.token).get(`/orgs/${organization.id}/members/${user}`);

it('an invite by mail creates an account with a verified address', async () => {
  const email = newEmail();
  await invite(email);
  const link = linkIn(await mailbox.mailTo(email));
  const browser = new TestBrowser(service.app);
  await browser.open(link);
  expect(browser.text).toContain('You are invited to Acme &lt;Docs&gt;');
  await browser.submit({ name: 'New Person', password: 'short' });
  expect(browser.text).toContain('Use at least 8 characters.');
  await browser.submit({ name: 'New Person', password: PASSWORD });
  expect(browser.url).toBe('/auth/account');
  expect(browser.text).toContain('>verified<');
  const { id } = (await browser.api('GET', '/user')).json();
  expect((await roleOf(id)).body).toMatchObject({ role: 'edit' });
  const other = new TestBrowser(service.app);
  await other.open(link);
  expect(other.status).toBe(404);
});

it('an invite by mail is accepted only by the user with its address, which it verifies', async () => {
  const jo = await userWithPassword(service, mailbox);
  const other = await userWithPassword(service, mailbox);
  const { db } = service.runtime.database;
  await db.updateTable('user').set({ email_verified_at: null }).where('id', '=', jo.id).execute();
  await invite(jo.email);
  const link = linkIn(await mailbox.mailTo(jo.email));
  await other.browser.open(link);
  await other.browser.submit({});
  expect(other.browser.text).toContain('a different address');
  await jo.browser.open(link);
  await jo.browser.submit({});
  expect(jo.browser.text).toContain('>verified<');
  expect((await roleOf(jo.id)).body).toMatchObject({ role: 'edit' });
});

it('an invite by link creates an account, whose address is then verified by a mail', async () => {
  const { body } = await service
    .as(organization.admin.token)
    .post(`/orgs/${organization.id}/link-invites`, { role: 'read', singleUse: true });
  const email = newEmail();
  const browser = new TestBrowser(service.app);
  await browser.open(`/auth/invites/${body.secret}`);
  await browser.submit({ name: 'Linked', email: organization.admin.id, password: PASSWORD });
  expect(browser.text).toContain('Enter an e-mail address.');
  await browser.submit({ name: 'Linked', email, password: PASSWORD });
  expect(browser.text).toContain('not verified');
  const link = linkIn(await mailbox.mailTo(email));
  const phone = new TestBrowser(service.app);
  await phone.open(link);
  expect(phone.url).toContain('/auth/sign-in?returnTo=');
  await phone.submit({ email, password: PASSWORD });
  expect(phone.url).toBe(link);
  await browser.open('/auth/account');
  expect(browser.text).toContain('not verified');
  await phone.submit({});
  await browser.open('/auth/account');
  expect(browser.text).not.toContain('not verified');
  const late = new TestBrowser(service.app);
  await late.open(`/auth/invites/${body.secret}`);
  expect(late.status).toBe(404);
  expect(late.text).toContain('Ask for a new one.');
});

it('an invite creates one account if several people use it concurrently', async () => {
  const { body } = await service
    .as(organization.admin.token)
    .post(`/orgs/${organization.id}/link-invites`, { role: 'read', singleUse: true });
  const browser = new TestBrowser(service.app);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      browser.api('POST', '/auth/accounts', {
        invite: body.secret,
        displayName: 'One of many',
        email: newEmail(),
        password: PASSWORD,
      }),
    ),
  );
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404, 404, 404, 404]);
});

it('an invite creates no account with the address of an existing user', async () => {
  const jo = await userWithPassword(service, mailbox);
  const { body } = await service
    .as(organization.admin.token)
    .post(`/orgs/${organization.id}/link-invites`, { role: 'read' });
  const browser = new TestBrowser(service.app);
  await browser.open(`/auth/invites/${body.secret}`);
  await browser.submit({ name: 'Mallory', email: jo.email.toUpperCase(), password: PASSWORD });
  expect(browser.status).toBe(409);
  expect(browser.text).toContain('Sign in first');
});
