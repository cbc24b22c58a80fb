import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { jobContext } from '../../server/context.ts';
import { linkIn, type Mailbox, startMailbox } from '../helpers/mailbox.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { TestBrowser } from './test-browser.ts';
import { newEmail, PASSWORD, userWithPassword } from './users-with-passwords.ts';

let service: TestService;
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startTestService({ ...mailbox.environment, TRUST_PROXY: 'false' });
  const { database, services, jobs } = service.runtime;
  await jobs.work(jobContext(database, services));
});
afterAll(async () => {
  await service.close();
  await mailbox.close();
});

const signIn = async (email: string, password = PASSWORD, query = '') => {
  const browser = new TestBrowser(service.app);
  await browser.open(`/auth/sign-in${query}`);
  await browser.submit({ email, password });
  return browser;
};

describe('a person', () => {
  it('a person chooses a password with a link that works once, and signs in with their address in any case and the password in any Unicode form', async () => {
    const email = newEmail();
    const { id } = await service.build.user({ email });
    const asking = new TestBrowser(service.app);
    await asking.open('/auth/forgotten');
    await asking.submit({ email: email.toUpperCase() });
    expect(asking.text).toContain('is on its way');
    const link = linkIn(await mailbox.mailTo(email));

    const scanner = new TestBrowser(service.app);
    await scanner.open(link);
    const browser = new TestBrowser(service.app);
    await browser.open(link);
    await browser.submit({ password: 'short' });
    expect(browser.status).toBe(400);
    expect(browser.text).toContain('aria-describedby="password-hint password-problem"');
    await browser.submit({ password: `caf\u0065\u0301 ${PASSWORD}` });
    expect(browser.url).toBe('/auth/account?done=password');
    expect(browser.text).toContain(email);

    await scanner.open(link);
    expect(scanner.status).toBe(404);
    const again = await signIn(email.toUpperCase(), `caf\u00e9 ${PASSWORD}`);
    expect(again.url).toBe('/auth/account');
    expect((await again.api('GET', '/user')).json()).toMatchObject({ id });
  });

  it('a person gets the same message for a wrong password, an unknown address and a disabled user', async () => {
    const { email } = await userWithPassword(service, mailbox);
    const disabled = await userWithPassword(service, mailbox);
    const { db } = service.runtime.database;
    await db.updateTable('user').set({ disabled_at: new Date() }).where('id', '=', disabled.id).execute();
    const answers = [];
    for (const browser of [
      await signIn(email, 'not the password'),
      await signIn('nobody@pages.example'),
      await signIn('no address'),
      await signIn(disabled.email),
    ]) {
      expect(browser.cookies.has('colophon_session')).toBe(false);
      const shown = browser.text.replace(/value="[^"]*"/g, '').replace(/ autofocus/g, '');
      answers.push([browser.status, shown]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(401);
  });

  it.for([
    ['a password of 4 kB', 'a'.repeat(4096)],
    ['a password that grows when it is normalized', '\ufdfa'.repeat(300)],
  ])('a person gets a readable message that %s is too long', async ([, password]) => {
    const browser = await signIn('nobody@pages.example', password);
    expect(browser.text).toContain('at most 256 characters');
    const answer = await browser.api('POST', '/auth/sign-in', { email: 'nobody@pages.example', password });
    expect([400, 401]).toContain(answer.statusCode);
  });

  it.for(['password1', '12345678', 'aaaaaaaaaa', 'Jo Writer', 'QWERTYUIOP'])(
    'a person cannot choose the password %s',
    async (password) => {
      const { browser, id } = await userWithPassword(service, mailbox);
      const answer = await browser.api('PUT', '/user/password', { current: PASSWORD, password });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.details[0].path).toBe('password');
      expect(id).toBeDefined();
    },
  );

  it.for(['//elsewhere.test/', 'https://elsewhere.test', '/\\elsewhere.test'])(
    'a person is not redirected to another host after signing in: %s',
    async (returnTo) => {
      const { email } = await userWithPassword(service, mailbox);
      const browser = await signIn(email, PASSWORD, `?returnTo=${encodeURIComponent(returnTo)}`);
      expect(browser.url).toBe('/auth/account');
    },
  );

  it('a person is redirected to the page they came from after signing in', async () => {
    const { email } = await userWithPassword(service, mailbox);
    const browser = await signIn(email, PASSWORD, `?returnTo=${encodeURIComponent('/auth/account?x=1')}`);
    expect(browser.url).toBe('/auth/account?x=1');
  });

  it('a person changes name and password, sees and ends sessions, and signs out', async () => {
    const { email, browser } = await userWithPassword(service, mailbox);
    const other = await signIn(email);
    await browser.open('/auth/account');
    expect(browser.text).toContain('this session');
    await browser.submit({ name: '<b>Jo</b>' }, '/auth/account/profile');
    expect(browser.text).toContain('&lt;b&gt;Jo&lt;/b&gt;');
    expect(browser.text).not.toContain('<b>Jo');

    await browser.submit({ current: 'wrong', password: `${PASSWORD}!` }, '/auth/account/password');
    expect(browser.text).toContain('The current password is wrong.');
    const third = await signIn(email);
    await browser.open('/auth/account');
    await browser.submit({}, /\/auth\/account\/sessions\/[^/]+\/end/);
    expect((await third.api('GET', '/user')).statusCode).toBe(401);
    expect((await other.api('GET', '/user')).statusCode).toBe(200);
    await browser.submit({}, '/auth/account/sessions/end');
    expect((await other.api('GET', '/user')).statusCode).toBe(401);

    const fourth = await signIn(email);
    await browser.submit({ current: PASSWORD, password: `${PASSWORD}!` }, '/auth/account/password');
    expect(browser.url).toBe('/auth/account?done=password');
    expect((await fourth.api('GET', '/user')).statusCode).toBe(401);
    await browser.submit({}, '/auth/sign-out');
    expect(browser.url).toBe('/auth/sign-in?done=out');
    expect((await browser.api('GET', '/user')).statusCode).toBe(401);
  });

  it('a person creates a limited token, which is shown once, and revokes it', async () => {
    const { browser } = await userWithPassword(service, mailbox);
    await browser.open('/auth/account');
    await browser.submit({ tokenName: 'CI', days: '30', read: '1' }, '/auth/account/tokens');
    const token = /colophon_[\w-]{43}/.exec(browser.text)?.[0] ?? '';
    expect((await service.as(token).get('/user')).status).toBe(200);
    expect((await service.as(token).post('/orgs', { title: 'Mine' })).status).toBe(403);
    await browser.open('/auth/account');
    expect(browser.text).not.toContain(token);
    await browser.submit({}, /\/auth\/account\/tokens\/[^/]+\/revoke/);
    expect((await service.as(token).get('/user')).status).toBe(401);
  });
});

it('a form is accepted only from the browser and the page that it was issued for', async () => {
  const { email } = await userWithPassword(service, mailbox);
  const victim = new TestBrowser(service.app);
  await victim.open('/auth/sign-in');
  const mallory = new TestBrowser(service.app);
  await mallory.open('/auth/sign-in');
  const foreign = mallory.formOf('/auth/sign-in');
  const refused = [
    await victim.send('/auth/sign-in', { ...foreign, email, password: PASSWORD }),
    await victim.send('/auth/sign-in', { email, password: PASSWORD }),
    await victim.send(
      '/auth/sign-in',
      { ...victim.formOf('/auth/sign-in'), email, password: PASSWORD },
      { origin: 'http://elsewhere.test', 'sec-fetch-site': 'cross-site' },
    ),
  ];
  for (const { statusCode, headers } of refused) {
    expect(statusCode).toBe(400);
    expect(headers['set-cookie']).toBeUndefined();
  }
});

test('a form stays valid for a day, however long ago the browser opened the first one', async () => {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/sign-in');
  const first = browser.cookies.get('colophon_form');
  await browser.open('/auth/forgotten');
  expect(browser.cookies.get('colophon_form')).toBe(first);
  const expiry = /^colophon_form=.*?; Expires=([^;]+)/.exec(String(browser.headers['set-cookie']))?.[1] ?? '';
  expect(Date.parse(expiry)).toBeGreaterThan(Date.now() + 86_000_000);
});

it('a form is accepted only as form data of limited size', async () => {
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/sign-in');
  const json = await service.app.inject({ method: 'POST', url: '/auth/sign-in', payload: { email: 'x' } });
  expect(json.statusCode).toBe(415);
  const large = await browser.send('/auth/sign-in', { email: 'x'.repeat(100_000) });
  expect(large.statusCode).toBe(413);
});

test('the session cookie is hidden from scripts and other sites, and behind TLS from other hosts', async () => {
  const { email } = await userWithPassword(service, mailbox);
  const browser = await signIn(email);
  expect(browser.setCookies.find((cookie) => cookie.startsWith('colophon_session='))).toMatch(
    /^colophon_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  );
  service.runtime.publicUrl = 'https://docs.test';
  try {
    const secure = new TestBrowser(service.app, 'https://docs.test');
    await secure.open('/auth/sign-in');
    await secure.submit({ email, password: PASSWORD });
    expect(secure.setCookies.find((cookie) => cookie.includes('colophon_session='))).toMatch(
      /^__Host-colophon_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax; Secure$/,
    );
  } finally {
    service.runtime.publicUrl = 'http://docs.test';
  }
});

test('a page loads nothing from other hosts, runs no script except the one for passkeys, and cannot be framed', async () => {
  const browser = new TestBrowser(service.app);
  const policy =
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  await browser.open('/auth/forgotten');
  expect(browser.headers['content-security-policy']).toBe(policy);
  expect(browser.text).not.toContain('<script');
  await browser.open('/auth/sign-in');
  expect(browser.headers['content-security-policy']).toBe(`${policy}; script-src 'self'; connect-src 'self'`);
  const scripts = [...browser.text.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
  expect(scripts).toEqual([
    expect.stringMatching(/^ type="module" src="\/auth\/passkeys-[0-9a-f]{12}[.]js"$/),
  ]);
  const script = /src="([^"]+)"/.exec(scripts[0] ?? '')?.[1] ?? '';
  expect((await service.app.inject(script)).headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(browser.headers['cache-control']).toBe('no-store');
  const [, styles = ''] = /href="(\/auth\/styles[^"]+)"/.exec(browser.text) ?? [];
  expect((await service.app.inject(styles)).headers['content-type']).toBe('text/css; charset=utf-8');
});

test.for([
  ['de-CH, en;q=0.5', 'de', 'Anmelden'],
  ['fr', 'fr', 'Se connecter'],
  ['xx, es-MX;q=0.8, de;q=0.1', 'es', 'Iniciar sesión'],
  ['ja-JP', 'ja', 'ログイン'],
  ['de;q=0, en', 'en', 'Sign in'],
  ['constructor, __proto__', 'en', 'Sign in'],
  [`${','.repeat(5000)}de`, 'en', 'Sign in'],
] as const)('a browser that prefers %s gets the page in %s', async ([accepted, code, title]) => {
  const { body } = await service.app.inject({
    url: '/auth/sign-in',
    headers: { 'accept-language': accepted },
  });
  expect(body).toContain(`<html lang="${code}">`);
  expect(body).toContain(`<title>${title} – Colophon</title>`);
});

describe('attempts', () => {
  const attempt = (email: string, headers: Record<string, string> = {}, remoteAddress = '198.51.100.7') =>
    service.app.inject({
      method: 'POST',
      url: '/v1/auth/sign-in',
      headers: { origin: 'http://docs.test', ...headers },
      remoteAddress,
      payload: { email, password: 'wrong password' },
    });

  it('attempts on one account are limited wherever they come from, and whether or not it exists', async () => {
    const { email } = await userWithPassword(service, mailbox);
    for (const account of [email, 'nobody.at.all@pages.example']) {
      const statuses = await Promise.all(
        Array.from(
          { length: 25 },
          async (_, i) => (await attempt(account, {}, `198.51.100.${i + 100}`)).statusCode,
        ),
      );
      expect(statuses.filter((status) => status === 401)).toHaveLength(20);
      expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    }
    // Even the right password is refused then, and all responses say for how long.
    const refused = await signIn(email);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many attempts. Try again in 15 minutes.');
    const given = { email, password: PASSWORD };
    const script = new TestBrowser(service.app);
    const responses = [
      await script.api('POST', '/auth/sign-in', given),
      await service.app.inject({
        method: 'POST',
        url: '/trpc/auth.signIn',
        headers: { origin: 'http://docs.test' },
        payload: { json: given },
      }),
    ];
    for (const { headers, body } of responses) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(14 * 60);
      expect(body).toContain('Too many attempts; try again in 15 minutes.');
    }
  });

  it('attempts from one address are limited, whatever the forwarding headers say', async () => {
    const address = '2001:db8:1:2::5';
    const { db } = service.runtime.database;
    await service.runtime.services.attempts.count(db, [{ limit: 'address', subject: '2001:db8:1:2::/64' }]);
    await db.updateTable('attempt').set({ count: 99 }).where('key', 'like', 'address:%').execute();
    const headers = { 'x-forwarded-for': '203.0.113.1' };
    expect((await attempt(newEmail(), headers, address)).statusCode).toBe(401);
    expect((await attempt(newEmail(), headers, '2001:db8:1:2:9::1')).statusCode).toBe(429);
    expect((await attempt(newEmail(), { 'x-forwarded-for': '203.0.113.2' }, address)).statusCode).toBe(429);
    await db.deleteFrom('attempt').execute();
  });
});

test('the app URL of an object redirects a signed-in user to the object in the API', async () => {
  const { browser } = await userWithPassword(service, mailbox);
  const make = async (path: string, body: object) => (await browser.api('POST', path, body)).json();
  const { id: home } = await make('/orgs', { title: 'Shown' });
  const space = await make(`/orgs/${home}/spaces`, { title: 'Handbook' });
  const change = { operation: 'insert_page', title: 'First', document: { markdown: 'Hello' } };
  await make(`/spaces/${space.id}/content`, { changes: [change] });
  const revision = (await browser.api('GET', `/spaces/${space.id}/content`)).json();
  const objects = [
    space,
    revision,
    revision.pages[0],
    (await browser.api('GET', `/orgs/${home}`)).json(),
    await make(`/orgs/${home}/collections`, { title: 'All' }),
    await make(`/orgs/${home}/sites`, { title: 'Docs' }),
    await make(`/spaces/${space.id}/change-requests`, { subject: 'More' }),
    await make(`/orgs/${home}/openapi`, { slug: 'petstore', source: { text: '{"openapi":"3.1.0"}' } }),
  ];
  for (const { id, slug, urls } of objects) {
    const path = urls.app.replace('http://docs.test', '');
    const stranger = new TestBrowser(service.app);
    await stranger.open(path);
    expect(stranger.text).toContain(`/auth/sign-in?returnTo=${encodeURIComponent(path)}`);
    await browser.open(path);
    expect({ path, status: browser.status }).toEqual({ path, status: 200 });
    const location = /class="button" href="\/v1([^"]+)"/.exec(browser.text)?.[1] ?? '';
    const answer = await browser.api('GET', location);
    expect({ path, status: answer.statusCode }).toEqual({ path, status: 200 });
    expect([answer.json().id, answer.json().slug]).toContain(id ?? slug);
  }
  await browser.open('/app/spaces/%22%3E%3Cscript%3E?x=%22%3E');
  expect(browser.text).not.toContain('<script>');
});
