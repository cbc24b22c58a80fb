/** What only a real browser shows: its policies, its password manager, and its passkeys. */

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issuePasswordLink, linkPath } from '../../routers/auth/links.operation.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

const CHROMIUM = '/usr/bin/chromium';
const PASSWORD = 'velvet anchor 42 sonnet';

let service: TestService;
let chrome: Browser;
let port: number;
let serial = 0;
/** The console messages and errors of pages, except those of the last test. */
let messages: string[];

describe.skipIf(!existsSync(CHROMIUM))('in a browser', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    service = await startTestService();
    port = Number(new URL(await service.app.listen({ port: 0, host: '127.0.0.1' })).port);
    service.runtime.publicUrl = `http://localhost:${port}`;
    chrome = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--host-resolver-rules=MAP localhost 127.0.0.1'],
    });
  });
  afterAll(async () => {
    await chrome.close();
    await service.close();
  });

  /** Opens the page with which a new user chooses a password. */
  async function newUser(): Promise<{ email: string; id: string; context: BrowserContext; page: Page }> {
    const { db } = service.runtime.database;
    // Too long for one line of a narrow screen.
    const email = `${'x'.repeat(60)}${++serial}@chromium.example`;
    const { id } = await service.build.user({ email });
    const { secret } = await issuePasswordLink(db, id, { lifetime: 60_000 });
    const context = await chrome.newContext({ viewport: { width: 320, height: 700 } });
    const page = await context.newPage();
    messages = [];
    page.on('pageerror', (error) => messages.push(error.message));
    page.on('console', (message) => messages.push(message.text()));
    await page.goto(`${service.runtime.publicUrl}${linkPath('password', secret)}`);
    return { email, id, context, page };
  }

  /** Chooses the password, which signs the user in. */
  async function choosePassword(page: Page): Promise<void> {
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Your password has been saved.').waitFor();
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Gives a page an authenticator that confirms everything that is asked of its user. */
  async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  }

  test('forms that set a password tell the password manager whose it is, and a long address fits a narrow screen', async () => {
    const { email, page } = await newUser();
    await page.getByText(email).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    const username = page.locator('input[autocomplete=username]');
    expect([await username.getAttribute('type'), await username.inputValue()]).toEqual(['text', email]);
    await choosePassword(page);
    await page.getByText('Change password').click();
    expect(await username.inputValue()).toBe(email);
    // Chromium complains about password forms without a username, and takes no hidden input for one.
    expect(messages).toEqual([]);
  });

  test('signing in works at another name of the machine than that of PUBLIC_URL', async () => {
    const { email, page } = await newUser();
    await choosePassword(page);
    await page.goto(`http://127.0.0.1:${port}/auth/sign-in`);
    await signIn(page, email);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${port}/auth/account`);
    expect(messages).toEqual([]);
  });

  test('signing in leads to the page that a user wanted to open, with its query and its fragment', async () => {
    const { email, page } = await newUser();
    await choosePassword(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const wanted = `${service.runtime.publicUrl}/auth/account?done=saved#email`;
    await page.goto(`${service.runtime.publicUrl}/auth/sign-in?returnTo=/auth/account%3Fdone=saved#email`);
    expect(await page.locator('#passkey-sign-in').getAttribute('data-return-to')).toMatch(/#email$/);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    await signIn(page, email);
    await page.getByText('Saved.').waitFor();
    expect(page.url()).toBe(wanted);
  });

  test('a user signs in with a passkey alone', async () => {
    const { id, context, page } = await newUser();
    await addAuthenticator(context, page);
    await choosePassword(page);
    await page.locator('#passkeyName').fill('Key of the test');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey has been added.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${service.runtime.publicUrl}/auth/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Key of the test').waitFor();
    const sessions = await service.runtime.database.db
      .selectFrom('session')
      .select(['method', 'second_factor as secondFactor'])
      .where('user_id', '=', id)
      .execute();
    expect(sessions).toContainEqual({ method: 'passkey', secondFactor: true });
    expect(messages).toEqual([]);
  });

  test('a passkey is added once, and takes the place of a code where an organization requires a second factor', async () => {
    const { email, id, context, page } = await newUser();
    await addAuthenticator(context, page);
    await choosePassword(page);
    for (const outcome of ['The passkey has been added.', 'This device already has a passkey']) {
      await page.locator('#passkeyName').fill('Key of the test');
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByText(outcome).waitFor();
    }
    expect(await page.getByText('The passkey did not work.').isVisible()).toBe(false);

    const { db } = service.runtime.database;
    const organization = await service.build.organization();
    await service.build.join(organization.id, id, 'read');
    await db
      .updateTable('organization')
      .set({ require_second_factor: true })
      .where('id', '=', organization.id)
      .execute();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${service.runtime.publicUrl}/auth/sign-in?returnTo=/auth/account%3Fdone=saved`);
    await signIn(page, email);
    await page.getByText('One of your organizations requires a second factor.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Saved.').waitFor();
    expect(page.url()).toBe(`${service.runtime.publicUrl}/auth/account?done=saved`);
    expect(messages).toEqual([]);
  });
});
