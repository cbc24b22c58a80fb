import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReaders } from '../../routers/events/events.query.ts';
import { openSessionFor } from '../auth/browser.ts';
import { expectOk } from '../helpers/service.ts';
import { nextOf, OWN, requestIn, type Scene, startScene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(async () => {
  await scene.service.close();
  await scene.idp.close();
});

let people = 0;
/** A user whom the service does not know yet. */
const somebody = () => {
  const number = ++people;
  return { nameId: `id-${number}`, email: `new${number}@login.example`, name: `New ${number}` };
};

describe('signing in by SAML', () => {
  test('signing in by SAML goes to the provider and back, creates a member, and returns to the requested page', async () => {
    const { id, admin, provider } = await scene.organization({ defaultRole: 'edit' });
    const team = await scene.service.build.team(id);
    await admin.client.patch(`/orgs/${id}/saml/${provider.id}`, { defaultTeam: team.id });
    const browser = scene.browser();
    const address = await scene.start(browser, provider, '?returnTo=%2Fauth%2Faccount%3Fx%3D1');
    expect(address.href.startsWith(`${scene.idp.ssoURL}&SAMLRequest=`)).toBe(true);
    const { id: request, xml } = requestIn(address);
    expect(address.searchParams.get('RelayState')).toBe(request);
    expect(xml).toContain(`AssertionConsumerServiceURL="${provider.service.acsURL}"`);
    const person = somebody();
    const form = await scene.respond(address, person);
    const received = await browser.open(provider.service.acsURL, { form: { ...form } });
    expect(received.status).toBe(200);
    const done = await browser.open(nextOf(received.text) ?? '');
    expect([done.status, done.headers.location]).toEqual([303, '/auth/account?x=1']);
    const { body: me } = await browser.api('GET', '/user');
    expect(me).toMatchObject({ displayName: person.name, email: person.email });
    const member = (await admin.client.get(`/orgs/${id}/members/${me.id}`)).body;
    expect(member).toMatchObject({ role: 'edit', sso: true, teams: 1 });
    expect((await browser.api('GET', `/orgs/${id}`)).status).toBe(200);
  });

  test('signing in by SAML again finds the same user by the NameID alone, and keeps their role', async () => {
    const { id, admin, provider } = await scene.organization();
    const person = somebody();
    const [first, second] = [scene.browser(), scene.browser()];
    await scene.signIn(first, provider, person);
    const { id: user } = (await first.api('GET', '/user')).body;
    await admin.client.patch(`/orgs/${id}/members/${user}`, { role: 'comment' });
    await admin.client.patch(`/orgs/${id}/saml/${provider.id}`, { defaultRole: 'admin' });
    await scene.signIn(second, provider, { ...person, email: 'changed@login.example' });
    expect((await second.api('GET', '/user')).body.id).toBe(user);
    expect((await admin.client.get(`/orgs/${id}/members/${user}`)).body.role).toBe('comment');
  });

  test('signing in by SAML several times concurrently creates one user', async () => {
    const { id, admin, provider } = await scene.organization();
    const person = somebody();
    const done = await Promise.all(
      Array.from({ length: 5 }, () => scene.signIn(scene.browser(), provider, person)),
    );
    expect(done.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    expect((await admin.client.get(`/orgs/${id}/members`)).body.count).toBe(2);
  });

  test('sign-ins by SAML that are started are limited by address', async () => {
    const { provider } = await scene.organization();
    const { db } = scene.service.runtime.database;
    const start = () =>
      scene.service.app.inject({
        url: provider.service.startURL.replace('http://docs.test', ''),
        remoteAddress: '2001:db8:1:2::4',
      });
    expect((await start()).statusCode).toBe(302);
    await db.updateTable('attempt').set({ count: 300 }).where('key', 'like', 'begin:%').execute();
    const refused = await start();
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(600);
    expect(refused.body).toContain('15 minutes');
    await db.deleteFrom('attempt').where('key', 'like', 'begin:%').execute();
  });

  test('signing in by SAML never redirects to another host', async () => {
    const { provider } = await scene.organization();
    for (const elsewhere of ['https%3A%2F%2Fevil.test', '%2F%2Fevil.test', '%2F%5Cevil.test']) {
      const done = await scene.signIn(scene.browser(), provider, somebody(), `?returnTo=${elsewhere}`);
      expect(done.headers.location).toBe('/auth/account');
    }
  });

  test.for(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'signing in by SAML takes only forms, and an error about %s says so',
    async (type) => {
      const { provider } = await scene.organization();
      const response = await scene.service.app.inject({
        method: 'POST',
        url: provider.service.acsURL.replace('http://docs.test', ''),
        headers: { 'content-type': type },
        payload: '{}',
      });
      expect(response.statusCode).toBe(415);
      expect(response.json().error.message).toBe(
        'The request body must be a form, sent as application/x-www-form-urlencoded.',
      );
    },
  );

  test('a pending SAML provider has metadata of the service, but does not start sign-ins', async () => {
    const { provider } = await scene.organization({ certificate: '' });
    const { entityID, startURL } = provider.service;
    const browser = scene.browser();
    const metadata = await browser.open(entityID);
    expect(metadata.headers['content-type']).toBe('application/samlmetadata+xml; charset=utf-8');
    expect(metadata.text).toContain(`entityID="${entityID}"`);
    expect(metadata.text).toContain(`Location="${provider.service.acsURL}"`);
    expect((await browser.open(startURL)).status).toBe(404);
    expect((await browser.open('/auth/saml/aaaaaaaaaaaaaaaaaaaa/metadata')).status).toBe(404);
    expect((await browser.open('/auth/saml/aaaaaaaaaaaaaaaaaaaa/start')).status).toBe(404);
    const form = { SAMLResponse: 'AAAA', RelayState: '_a' };
    expect((await browser.open(provider.service.acsURL, { form })).status).toBe(404);
  });
});

describe('an organization that requires SSO', () => {
  /** An organization whose admin has signed in by SSO, and requires it. */
  async function required() {
    const { id, admin, provider } = await scene.organization({ defaultRole: 'admin' });
    const boss = scene.browser();
    await scene.signIn(boss, provider, somebody());
    const user = (await boss.api('GET', '/user')).body.id as string;
    expect((await admin.client.patch(`/orgs/${id}`, { sso: true })).status).toBe(200);
    return { id, admin, provider, boss, user };
  }

  test('an organization that requires SSO admits only those who sign in with it, immediately and also with tokens', async () => {
    const { id, admin, boss } = await required();
    const space = await scene.service.build.space(id);
    for (const path of [
      `/orgs/${id}`,
      `/orgs/${id}/members`,
      `/orgs/${id}/teams`,
      `/spaces/${space.id}/content`,
    ]) {
      const refused = await admin.client.get(path);
      expect([path, refused.status]).toEqual([path, 403]);
      expect(refused.body.error.message).toContain('SSO');
      expect([path, (await boss.api('GET', path)).status]).toEqual([path, 200]);
    }
    expect((await admin.client.patch(`/orgs/${id}`, { sso: false })).status).toBe(403);
    expect((await admin.client.get('/orgs')).body.items).toEqual([]);
    expect((await boss.api('GET', '/orgs')).body.count).toBe(1);
    // Tokens of members who sign in by SSO are valid; their sessions by other methods are not.
    const { token } = (await boss.api('POST', '/user/tokens', {})).body;
    expect((await scene.service.as(token).get(`/orgs/${id}`)).status).toBe(200);
    expect((await boss.api('POST', `/orgs/${id}/members/${admin.id}/sso`)).status).toBe(200);
    expect((await admin.client.get(`/orgs/${id}`)).status).toBe(200);
    const { cookie } = await openSessionFor(scene.service, admin.id);
    const response = await scene.service.app.inject({ url: `/v1/orgs/${id}`, headers: { cookie, ...OWN } });
    expect([response.statusCode, response.json().error.message]).toEqual([
      403,
      expect.stringContaining('SSO'),
    ]);
    expect((await boss.api('PATCH', `/orgs/${id}`, { sso: false })).status).toBe(200);
    expect(
      (await scene.service.app.inject({ url: `/v1/orgs/${id}`, headers: { cookie, ...OWN } })).statusCode,
    ).toBe(200);
  });

  test('an organization that requires SSO cannot be joined by link or domain', async () => {
    const { id, boss } = await required();
    await boss.api('PATCH', `/orgs/${id}`, { emailDomains: ['joining.example'] });
    const link = (await boss.api('POST', `/orgs/${id}/link-invites`, { role: 'read' })).body;
    const person = scene.service.as((await scene.service.build.user({ email: 'jo@joining.example' })).token);
    for (const path of ['join', `invites/${link.secret}`]) {
      const refused = await person.post(`/orgs/${id}/${path}`);
      expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('SSO')]);
    }
    expect((await boss.api('GET', `/orgs/${id}/members`)).body.count).toBe(2);
  });

  test('an organization that requires SSO closes the event streams of others', async () => {
    const { id, admin, provider } = await scene.organization({ defaultRole: 'admin' });
    const { db } = scene.service.runtime.database;
    const tokens = await db.selectFrom('api_token').select('id').where('user_id', '=', admin.id).execute();
    const read = async () =>
      (
        await readReaders(
          db,
          id,
          tokens.map((token) => token.id),
        )
      ).get(tokens[0]?.id ?? '')?.member;
    expect(await read()).toEqual({ role: 'admin' });
    await scene.signIn(scene.browser(), provider, somebody());
    await admin.client.patch(`/orgs/${id}`, { sso: true });
    expect(await read()).toBeNull();
  });

  test('an organization that requires SSO always has an admin who can sign in', async () => {
    const { id, admin, provider } = await scene.organization({ defaultRole: 'admin' });
    const { client } = admin;
    const require = async () => (await client.patch(`/orgs/${id}`, { sso: true })).status;
    expect(await require()).toBe(409);
    await client.post(`/orgs/${id}/members/${admin.id}/sso`);
    expect(await require()).toBe(409);
    await client.patch(`/orgs/${id}/saml/${provider.id}`, { defaultRole: 'read' });
    await scene.signIn(scene.browser(), provider, somebody());
    expect(await require()).toBe(409);
    await client.patch(`/orgs/${id}/saml/${provider.id}`, { defaultRole: 'admin' });
    const boss = scene.browser();
    await scene.signIn(boss, provider, somebody());
    const { id: user } = (await boss.api('GET', '/user')).body;
    expect(await require()).toBe(200);
    expect((await client.get(`/orgs/${id}`)).body.sso).toBe(true);
    for (const refused of [
      await client.delete(`/orgs/${id}/saml/${provider.id}`),
      await client.patch(`/orgs/${id}/saml/${provider.id}`, { certificate: '' }),
      await client.patch(`/orgs/${id}/members/${user}`, { role: 'read' }),
      await client.delete(`/orgs/${id}/members/${user}`),
    ])
      expect(refused.status).toBe(409);
    expect((await boss.api('GET', `/orgs/${id}/saml/${provider.id}`)).body.status).toBe('active');
    await client.patch(`/orgs/${id}`, { sso: false });
    expect((await client.delete(`/orgs/${id}/members/${user}`)).status).toBe(205);
  });

  test('an organization that requires SSO ends the sessions of a provider that is removed', async () => {
    const { id, admin, provider } = await scene.organization();
    const [one, other] = [scene.browser(), scene.browser()];
    await scene.signIn(one, provider, somebody());
    const second = (
      await admin.client.post(`/orgs/${id}/saml`, { ...provider, label: 'Second', defaultTeam: undefined })
    ).body;
    await scene.signIn(other, second, somebody());
    expect((await admin.client.delete(`/orgs/${id}/saml/${provider.id}`)).status).toBe(205);
    expect((await one.api('GET', '/user')).status).toBe(401);
    expect((await other.api('GET', '/user')).status).toBe(200);
    await expectOk(admin.client.patch(`/orgs/${id}/saml/${second.id}`, { ssoURL: '' }));
    expect((await other.api('GET', '/user')).status).toBe(401);
  });
});
