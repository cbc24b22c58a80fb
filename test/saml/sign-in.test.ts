import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextOf, requestIn, type Scene, startScene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(async () => {
  await scene.service.close();
  await scene.idp.close();
});

let people = 0;
/** Somebody whom nobody knows yet. */
const somebody = () => {
  const number = ++people;
  return { nameId: `id-${number}`, email: `new${number}@login.example`, name: `New ${number}` };
};

describe('signing in by SAML', () => {
  test('goes to the provider and back, makes a member, and leads to where it was asked for', async () => {
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
    const form = await scene.answer(address, person);
    const received = await browser.open(provider.service.acsURL, { form: { ...form } });
    expect(received.status).toBe(200);
    const done = await browser.open(nextOf(received.text) ?? '');
    expect([done.status, done.headers.location]).toEqual([303, 'http://docs.test/auth/account?x=1']);
    const { body: me } = await browser.api('GET', '/user');
    expect(me).toMatchObject({ displayName: person.name, email: person.email });
    const member = (await admin.client.get(`/orgs/${id}/members/${me.id}`)).body;
    expect(member).toMatchObject({ role: 'edit', sso: true, teams: 1 });
    expect((await browser.api('GET', `/orgs/${id}`)).status).toBe(200);
  });

  test('is the same user again, by the NameID alone, and takes no role away or back', async () => {
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

  test('is one user for somebody who comes several times at once', async () => {
    const { id, admin, provider } = await scene.organization();
    const person = somebody();
    await Promise.all(Array.from({ length: 5 }, () => scene.signIn(scene.browser(), provider, person)));
    expect((await admin.client.get(`/orgs/${id}/members`)).body.count).toBe(2);
  });

  test('leads to no other host', async () => {
    const { provider } = await scene.organization();
    for (const elsewhere of ['https%3A%2F%2Fevil.test', '%2F%2Fevil.test', '%2F%5Cevil.test']) {
      const done = await scene.signIn(scene.browser(), provider, somebody(), `?returnTo=${elsewhere}`);
      expect(done.headers.location).toBe('http://docs.test/auth/account');
    }
  });

  test('serves its metadata, even while the provider is pending, but starts nothing then', async () => {
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
