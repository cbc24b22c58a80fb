import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSessionFor } from '../auth/browser.ts';
import { newSigner } from '../helpers/certificates.ts';
import { base64, type ResponseParts } from '../helpers/saml-response.ts';
import { expectOk, startTestService } from '../helpers/service.ts';
import { nextOf, type ResponseForm, type Scene, startScene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(async () => {
  await scene.service.close();
  await scene.idp.close();
});

const stranger = newSigner('stranger.example');

let people = 0;
const somebody = () => {
  const number = ++people;
  return { nameId: `id-${number}`, email: `new${number}@login.example`, name: `New ${number}` };
};

describe('a response over HTTP', () => {
  test.for<[string, Partial<ResponseParts>]>([
    ['not signed', { signed: [] }],
    ['for another provider', { audience: 'http://docs.test/auth/saml/other/metadata' }],
    ['old', { now: Date.now() - 3_600_000 }],
    ['altered', { before: (xml) => xml }],
  ])('a response over HTTP is refused if it is %s, and nobody is signed in', async ([kind, parts]) => {
    const { id, admin, provider } = await scene.organization();
    const browser = scene.browser();
    const address = await scene.start(browser, provider);
    const form = scene.forge(provider, address, parts);
    if (kind === 'altered')
      form.SAMLResponse = base64(
        Buffer.from(form.SAMLResponse, 'base64').toString().replace('>ann-1<', '>bob-1<'),
      );
    const received = await browser.open(provider.service.acsURL, { form: { ...form } });
    expect(received.status).toBe(403);
    expect(received.text).toContain('rejected');
    expect(nextOf(received.text)).toBeUndefined();
    expect(browser.cookies.has('colophon_session')).toBe(false);
    expect((await admin.client.get(`/orgs/${id}/members`)).body.count).toBe(1);
    // The right response is still accepted.
    const accepted = await browser.open(provider.service.acsURL, {
      form: { ...scene.forge(provider, address, somebodyParts()) },
    });
    expect(accepted.status).toBe(200);
  });

  const somebodyParts = () => {
    const { nameId, email } = somebody();
    return { nameId, attributes: { email } };
  };

  test('a response over HTTP is refused if it is signed by another provider, or is for a request to another provider', async () => {
    const [one, other] = [await scene.organization(), await scene.organization()];
    const browser = scene.browser();
    const address = await scene.start(browser, one.provider);
    const post = (form: ResponseForm, { provider } = one) =>
      browser.open(provider.service.acsURL, { form: { ...form } });
    expect((await post(scene.forge(one.provider, address, {}, stranger))).status).toBe(403);
    expect((await post(scene.forge(other.provider, address), other)).status).toBe(400);
    expect((await post(scene.forge(other.provider, address))).status).toBe(403);
    const form = scene.forge(one.provider, address);
    expect((await post({ ...form, RelayState: '' })).status).toBe(400);
    expect((await post({ ...form, RelayState: `_${randomBytes(32).toString('base64url')}` })).status).toBe(
      400,
    );
  });

  test('a response over HTTP is accepted once, even by two processes concurrently', async () => {
    const { provider } = await scene.organization();
    const other = await startTestService({ DATABASE_URL: scene.service.databaseUrl });
    const second = other.app;
    try {
      for (let round = 0; round < 5; round++) {
        const browser = scene.browser();
        const form = { ...scene.forge(provider, await scene.start(browser, provider), somebodyParts()) };
        const responses = await Promise.all(
          [undefined, second, undefined, second].map((app) =>
            browser.open(provider.service.acsURL, { form, app, headers: { 'x-forwarded-for': '192.0.2.1' } }),
          ),
        );
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
        expect((await browser.open(provider.service.acsURL, { form, app: second })).status).toBe(400);
        const next = nextOf(responses.find(({ status }) => status === 200)?.text ?? '') ?? '';
        const done = await Promise.all([undefined, second].map((app) => browser.open(next, { app })));
        expect(done.map(({ status }) => status).sort()).toEqual([303, 400]);
      }
    } finally {
      await other.close();
    }
  });

  test('a response over HTTP signs in only the browser that started', async () => {
    const { id, admin, provider } = await scene.organization();
    const [attacker, victim] = [scene.browser(), scene.browser()];
    const form = { ...scene.forge(provider, await scene.start(attacker, provider), somebodyParts()) };
    await scene.start(victim, provider);
    const received = await victim.open(provider.service.acsURL, { form });
    const done = await victim.open(nextOf(received.text) ?? '');
    expect(done.status).toBe(400);
    expect(victim.cookies.has('colophon_session')).toBe(false);
    expect((await attacker.open(nextOf(received.text) ?? '')).status).toBe(400);
    expect((await admin.client.get(`/orgs/${id}/members`)).body.count).toBe(1);
  });

  test('a response over HTTP of 5 MB, of deep XML or with entities is refused without blocking others', async () => {
    const { provider } = await scene.organization();
    const browser = scene.browser();
    const { RelayState } = scene.forge(provider, await scene.start(browser, provider));
    const post = async (xml: string) => {
      const form = { RelayState, SAMLResponse: base64(xml) };
      const { status, text } = await browser.open(provider.service.acsURL, { form });
      return `${status} ${/it ([^.]*)\./.exec(text)?.[1] ?? ''}`;
    };
    const begun = process.threadCpuUsage();
    const laughs = `<!DOCTYPE x [${Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('')}]><x>&e9;</x>`;
    const responses = [
      await post('<a>'.repeat(9000) + '</a>'.repeat(9000)),
      await post(`<a>${'<b/>'.repeat(13_000)}</a>`),
      await post(laughs),
      await post('<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'),
      await post(`<a ${Array.from({ length: 15_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`),
      await post('x'.repeat(300_000)),
      await post('x'.repeat(5_000_000)),
    ];
    const { user, system } = process.threadCpuUsage(begun);
    expect(responses).toEqual([
      '403 is nested more than 32 levels deep',
      '403 has more than 2000 elements',
      '403 contains a document type',
      '403 contains a document type',
      '403 has an element with more than 50 attributes',
      '400 ',
      '413 ',
    ]);
    // For all seven; in the process that serves requests, one would take seconds to parse.
    expect((user + system) / 1000).toBeLessThan(700);
  });
});

describe('a provider that is run by an attacker', () => {
  /** A user with an organization of their own. */
  async function victim() {
    const own = await scene.service.build.organization();
    const email = `victim${++people}@bank.example`;
    const user = await scene.service.build.user({ email });
    await scene.service.build.join(own.id, user.id, 'admin');
    return { own, user, email };
  }

  test('a provider that is run by an attacker cannot sign in as somebody who is not a member of its organization', async () => {
    const { own, user, email } = await victim();
    const evil = await scene.organization({ defaultRole: 'admin' });
    const browser = scene.browser();
    const done = await scene.signIn(browser, evil.provider, { nameId: 'x', email: email.toUpperCase() });
    expect(done.status).toBe(403);
    expect(browser.cookies.has('colophon_session')).toBe(false);
    expect((await evil.admin.client.get(`/orgs/${evil.id}/members/${user.id}`)).status).toBe(404);
    expect(own.id).not.toBe(evil.id);
  });

  test('a provider that is run by an attacker gives access to nothing of a member but its own organization', async () => {
    const { own, user, email } = await victim();
    const evil = await scene.organization();
    await scene.service.build.join(evil.id, user.id, 'read');
    const space = await scene.service.build.space(own.id);
    const site = await expectOk(
      scene.service.as(user.token).post(`/orgs/${own.id}/sites`, { title: 'Docs' }),
    );
    const team = await scene.service.build.team(own.id);
    const collection = await scene.service.build.collection(own.id);
    const browser = scene.browser();
    expect((await scene.signIn(browser, evil.provider, { nameId: 'x', email })).status).toBe(303);
    expect((await browser.api('GET', `/orgs/${evil.id}`)).status).toBe(200);
    const { token } = (await browser.api('POST', '/user/tokens', {})).body;
    const byToken = scene.service.as(token);
    const asVictim = scene.service.as(user.token);
    const reads = [
      `/orgs/${own.id}`,
      `/orgs/${own.id}/members`,
      `/orgs/${own.id}/members/${own.admin.id}`,
      `/orgs/${own.id}/teams/${team.id}`,
      `/orgs/${own.id}/saml`,
      `/orgs/${own.id}/events`,
      `/orgs/${own.id}/sites/${site.id}`,
      `/spaces/${space.id}`,
      `/spaces/${space.id}/content`,
      `/spaces/${space.id}/change-requests`,
      `/collections/${collection.id}`,
      `/users/${own.admin.id}`,
    ];
    for (const path of reads) {
      expect([path, (await asVictim.get(path)).status]).toEqual([path, 200]);
      expect([path, (await browser.api('GET', path)).status]).toEqual([path, 404]);
      expect([path, (await byToken.get(path)).status]).toEqual([path, 404]);
    }
    const organizations = async (items: { id: string }[]) => items.map(({ id }) => id);
    expect(await organizations((await browser.api('GET', '/orgs')).body.items)).toEqual([evil.id]);
    expect(await organizations((await byToken.get('/orgs')).body.items)).toEqual([evil.id]);
    // The provider has no access to the user's own account either.
    expect((await browser.api('PATCH', `/users/${user.id}`, { displayName: 'Mallory' })).status).toBe(403);
    const password = 'correct horse battery staple';
    expect((await browser.api('PUT', '/user/password', { password })).status).toBe(403);
    const { id: session } = await openSessionFor(scene.service, user.id);
    expect((await browser.api('GET', '/user/sessions')).body.count).toBe(1);
    expect((await browser.api('DELETE', `/user/sessions/${session}`)).status).toBe(204);
    expect((await browser.api('DELETE', '/user/sessions')).status).toBe(204);
    expect((await asVictim.get('/user/sessions')).body.count).toBe(2);
    expect((await browser.api('POST', '/orgs', { title: 'Mallory' })).status).toBe(403);
    expect((await byToken.post('/orgs', { title: 'Mallory' })).status).toBe(403);
    expect((await browser.api('GET', '/user/tokens')).body.count).toBe(1);
    expect((await byToken.get('/user/tokens')).body.count).toBe(1);
    const [, mine] = (await asVictim.get('/user/tokens')).body.items;
    await browser.api('DELETE', `/user/tokens/${mine.id}`);
    expect((await asVictim.get('/user')).status).toBe(200);
    expect((await byToken.post('/user/tokens', {})).body.organization).toBe(evil.id);
  });

  test('a provider that is run by an attacker cannot add users that it invents to other organizations', async () => {
    const target = await scene.organization();
    const evil = await scene.organization();
    const email = `boss${++people}@bank.example`;
    const browser = scene.browser();
    await scene.signIn(browser, evil.provider, { nameId: 'x', email });
    const domains = { emailDomains: ['bank.example'], defaultRole: 'admin' };
    await expectOk(target.admin.client.patch(`/orgs/${target.id}`, domains));
    const link = await expectOk(
      target.admin.client.post(`/orgs/${target.id}/link-invites`, { role: 'read' }),
    );
    for (const path of ['join', `invites/${link.secret}`])
      expect((await browser.api('POST', `/orgs/${target.id}/${path}`)).status).toBe(403);
    // Even if an admin adds the account, the address is not verified, and the other provider cannot take it over.
    const user = (await browser.api('GET', '/user')).body.id;
    await scene.service.build.join(target.id, user, 'read');
    const real = scene.browser();
    expect((await scene.signIn(real, target.provider, { nameId: 'boss', email })).status).toBe(403);
  });

  test('a provider that is run by an attacker cannot use two NameIDs for one member, nor sign in a disabled one', async () => {
    const { provider, id } = await scene.organization();
    const person = somebody();
    await scene.signIn(scene.browser(), provider, person);
    const other = await scene.signIn(scene.browser(), provider, { ...person, nameId: 'other' });
    expect([other.status, other.text]).toEqual([403, expect.stringContaining('another NameID')]);
    await scene.service.runtime.database.db
      .updateTable('member')
      .set({ disabled: true })
      .where('organization_id', '=', id)
      .where('sso', '=', true)
      .execute();
    const again = await scene.signIn(scene.browser(), provider, person);
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('disabled')]);
  });
});
