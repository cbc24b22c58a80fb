import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene, visit } from './scene.ts';

let service: TestService;
let scene: Scene;
let auth: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  await scene.update({ visibility: 'visitor-auth' });
  auth = `${scene.at}/publishing/auth`;
});

const now = () => Math.floor(Date.now() / 1000);
const HS256 = { alg: 'HS256' };

/** Makes a JWT by hand, so that anything about it can be wrong. */
function jwt(
  payload: object | string,
  { key = scene.authKey, header = HS256 as object, hash = 'sha256' } = {},
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64url');
  const written = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const text = `${base64(JSON.stringify(header))}.${base64(written)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
}
const outcome = async (visitorToken?: string) => (await visit(service, scene, { visitorToken })).outcome;

describe('the visitor authentication settings', () => {
  test('admins read and change the visitor authentication settings', async () => {
    const settings = await expectOk(scene.admin.get(auth));
    expect(settings).toEqual({ object: 'publishing-auth', backend: 'custom', privateKey: scene.authKey });
    // 256 bits, as text.
    expect(Buffer.from(settings.privateKey, 'base64url')).toHaveLength(32);
    const fallbackURL = 'https://example.com/login?a=b';
    const changed = await expectOk(scene.admin.patch(auth, { backend: 'custom', fallbackURL }));
    expect(changed).toEqual({ ...settings, fallbackURL });
    expect(await expectOk(scene.admin.patch(auth, { backend: 'custom' }))).toEqual(changed);
    expect(await expectOk(scene.admin.patch(auth, { backend: 'custom', fallbackURL: null }))).toEqual(
      settings,
    );
  });

  test.for(['javascript:alert(1)', '/login', 'ftp://example.com', `https://e.com/${'a'.repeat(2048)}`, ''])(
    'the fallback URL %s is refused',
    async (fallbackURL) => {
      expect((await scene.admin.patch(auth, { backend: 'custom', fallbackURL })).status).toBe(400);
    },
  );

  test('members other than admins can neither read nor change the visitor authentication settings', async () => {
    const { build, as } = service;
    await scene.update({ defaultLevel: 'inherit' });
    const reviewer = as((await build.member(scene.organization, 'review')).token);
    const { token } = (await scene.admin.post('/user/tokens', { scope: 'read' })).body;
    for (const client of [reviewer, as(token)]) {
      expect((await client.get(auth)).status).toBe(403);
      expect((await client.get(`${scene.at}/publishing/preview`)).status).toBe(403);
    }
  });

  test('the signing key is stored encrypted', async () => {
    const { rows } = await service.runtime.database.db
      .selectFrom('site')
      .selectAll()
      .execute()
      .then((rows) => ({ rows }));
    expect(JSON.stringify(rows)).not.toContain(scene.authKey);
  });
});

describe('a visitor', () => {
  test('a visitor with a JWT signed by the key is authenticated', async () => {
    const token = await new SignJWT({ isPro: true })
      .setProtectedHeader(HS256)
      .setIssuedAt()
      .setExpirationTime('2h')
      .sign(Buffer.from(scene.authKey));
    expect(await visit(service, scene, { visitorToken: token })).toMatchObject({
      outcome: 'found',
      visitor: { site: scene.site, claims: { signed: { isPro: true }, unsigned: {} } },
    });
  });

  test('a visitor is authenticated by a JWT that expired less than a minute ago', async () => {
    expect(await outcome(jwt({ exp: now() - 50 }))).toBe('found');
    expect(await outcome(jwt({ exp: now() - 70 }))).toBe('needs-authentication');
    expect(await outcome(jwt({ exp: now() + 60, nbf: now() + 50 }))).toBe('found');
    expect(await outcome(jwt({ exp: now() + 600, nbf: now() + 90 }))).toBe('needs-authentication');
  });

  const DAY = 24 * 3600;
  const refused: Record<string, () => string | undefined | Promise<string>> = {
    'without a token': () => undefined,
    'with an empty one': () => '',
    'with something else': () => 'a.b.c',
    'with an unsigned one': () => jwt({ exp: now() + 60 }, { header: { alg: 'none' } }).replace(/[^.]+$/, ''),
    'with one that says it is unsigned': () => jwt({ exp: now() + 60 }, { header: { alg: 'none' } }),
    'with one signed by HS512': () => jwt({ exp: now() + 60 }, { header: { alg: 'HS512' }, hash: 'sha512' }),
    'with one of another key': () => jwt({ exp: now() + 60 }, { key: 'a'.repeat(43) }),
    'with one of an empty key': () => jwt({ exp: now() + 60 }, { key: '' }),
    'with one of another site': async () =>
      jwt({ exp: now() + 60 }, { key: (await buildScene(service)).authKey }),
    'with one that never expires': () => jwt({ isPro: true }),
    'with one that expires in a century': () => jwt({ exp: now() + 36_500 * DAY }),
    'with one that expires in 31 days': () => jwt({ exp: now() + 31 * DAY }),
    'with one whose expiry is a text': () => jwt({ exp: '9999999999' }),
    'with one whose expiry is beyond numbers': () => jwt('{"exp":1e400}'),
    'with one that is too long': () => jwt({ exp: now() + 60, text: 'a'.repeat(8192) }),
    'with the token of a visitor': () => scene.token(),
    'with an API token': () => scene.owner.token,
  };
  test.for(Object.keys(refused))('a visitor is not authenticated %s', async (how) => {
    const token = await refused[how]?.();
    expect(await visit(service, scene, { visitorToken: token })).toMatchObject({
      outcome: 'needs-authentication',
      fallbackUrl: null,
    });
  });

  test('a visitor who is not authenticated gets the fallback URL', async () => {
    await expectOk(scene.admin.patch(auth, { fallbackURL: 'https://example.com/' }));
    expect(await visit(service, scene, {})).toMatchObject({ fallbackUrl: 'https://example.com/' });
  });

  test('a visitor does not find a site that is not published', async () => {
    await scene.update({ published: false });
    expect(await outcome(jwt({ exp: now() + 60 }))).toBe('not-found');
  });
});

test('changes of visitor authentication are recorded as events of the site, without its key', async () => {
  await expectOk(scene.admin.patch(auth, { fallbackURL: 'https://example.com/' }));
  await expectOk(scene.admin.post(`${auth}/regenerate`));
  const { items } = await expectOk(scene.admin.get(`/orgs/${scene.organization}/events?type=site.updated`));
  expect(items).toHaveLength(2);
  const { privateKey } = await expectOk(scene.admin.get(auth));
  expect(JSON.stringify(items)).not.toContain(privateKey);
});

test('a new key immediately invalidates the JWTs and visitor tokens made with the old one', async () => {
  const token = jwt({ exp: now() + 600 });
  const found = await visit(service, scene, { visitorToken: token });
  const pass = found.outcome === 'found' ? found.visitor.pass : {};
  const visitor = await scene.visitor({}, pass);
  const preview = new URL((await expectOk(scene.admin.get(`${scene.at}/publishing/preview`))).url);
  const previewed = preview.searchParams.get('jwt_token') as string;
  expect((await visitor.get(scene.space.at)).status).toBe(200);
  expect(await outcome(previewed)).toBe('found');

  const { privateKey } = await expectOk(scene.admin.post(`${auth}/regenerate`));
  expect(privateKey).not.toBe(scene.authKey);
  expect((await visitor.get(scene.space.at)).status).toBe(404);
  expect(await outcome(token)).toBe('needs-authentication');
  expect(await outcome(previewed)).toBe('needs-authentication');
  expect(await outcome(jwt({ exp: now() + 600 }, { key: privateKey }))).toBe('found');
});

test('a visitor token with claims signed by the old key is refused on a public site, too', async () => {
  await scene.update({ visibility: 'public' });
  await service.runtime.database.db
    .updateTable('site_section')
    .set({ condition: '!visitor.claims.isBlocked' })
    .where('id', '=', scene.section)
    .execute();
  const found = await visit(service, scene, { visitorToken: jwt({ exp: now() + 600, isPro: true }) });
  const { pass } = found.outcome === 'found' ? found.visitor : { pass: {} };
  const [pro, blocked] = [
    await scene.visitor({ isPro: true }, pass),
    await scene.visitor({ isBlocked: true }, pass),
  ];
  const conditional = `${scene.space.at}/content/page/${scene.space.pages.Conditional}`;
  const anonymous = await scene.visitor();
  const statuses = async () =>
    Promise.all([
      pro.get(conditional),
      pro.get(scene.at),
      blocked.get(scene.space.at),
      anonymous.get(scene.space.at),
    ]).then((answers) => answers.map(({ status }) => status));
  expect(await statuses()).toEqual([200, 200, 404, 200]);
  await expectOk(scene.admin.post(`${auth}/regenerate`));
  expect(await statuses()).toEqual([404, 404, 404, 200]);
});

describe('claims', () => {
  const claimsOf = async (credentials: Parameters<typeof visit>[2]) => {
    const visited = await visit(service, scene, credentials);
    return visited.outcome === 'found' ? visited.visitor.claims : visited.outcome;
  };

  test('unsigned claims never become signed ones', async () => {
    await scene.update({ visibility: 'public' });
    const unsignedClaims = { isPro: true, signed: { isPro: true }, unsigned: { isPro: true } };
    expect(await claimsOf({ unsignedClaims })).toEqual({ signed: {}, unsigned: unsignedClaims });
    const token = jwt({ exp: now() + 60, isPro: false, unsigned: { isBeta: true } });
    const visited = await visit(service, scene, { visitorToken: token, unsignedClaims });
    expect(visited.outcome === 'found' && visited.visitor.claims.unsigned).toEqual(unsignedClaims);
    expect(
      await claimsOf({ visitorToken: jwt({ exp: now() + 60, isPro: true }, { key: 'a'.repeat(43) }) }),
    ).toEqual({
      signed: {},
      unsigned: {},
    });
  });

  test('a visitor’s claims count only with adaptive content, and only those of the schema', async () => {
    const token = jwt({ exp: now() + 60, iat: now(), sub: 'me', isPro: true, plan: 'pro' });
    const credentials = { visitorToken: token, unsignedClaims: { isBeta: true, other: true } };
    expect(await claimsOf(credentials)).toEqual({
      signed: { sub: 'me', isPro: true, plan: 'pro' },
      unsigned: { isBeta: true, other: true },
    });
    const flag = { type: 'boolean', description: '' };
    const object = { type: 'object', additionalProperties: false };
    const unsigned = { ...object, properties: { isBeta: flag } };
    await expectOk(
      scene.admin.put(`${scene.at}/adaptive-schema`, {
        jsonSchema: { ...object, properties: { isPro: flag, plan: flag, unsigned } },
      }),
    );
    expect(await claimsOf(credentials)).toEqual({ signed: { isPro: true }, unsigned: { isBeta: true } });
    await scene.update({ adaptiveContent: false });
    expect(await claimsOf(credentials)).toEqual({ signed: {}, unsigned: {} });
  });

  test('unsigned claims never replace signed ones', async () => {
    const visitorToken = jwt({ exp: now() + 60, isBlocked: true });
    for (const text of ['a'.repeat(6000), 'é'.repeat(3000)])
      expect(await claimsOf({ visitorToken, unsignedClaims: { text } })).toEqual({
        signed: { isBlocked: true },
        unsigned: {},
      });
    const most = { text: 'é'.repeat(2990) };
    expect(await claimsOf({ visitorToken, unsignedClaims: most })).toEqual({
      signed: { isBlocked: true },
      unsigned: most,
    });
  });

  describe('a genuine visitor token that cannot be used is refused, not ignored', () => {
    const url = () => `http://docs.test/sites/${scene.site}`;
    const resolve = (jwtToken: string, redirectOnError = false) =>
      service.as().post('/urls/published', { url: url(), redirectOnError, visitor: { jwtToken } });
    // Short in the token, and four times as long when serialized again.
    const numbers = () => `[${Array(600).fill('1e20').join()}]`;
    const MANY: Record<string, [() => string, string]> = {
      'with too many claims': [
        () => jwt(`{"exp":${now() + 60},"isBlocked":true,"numbers":${numbers()}}`),
        'too many claims',
      ],
      'in a token that is too long': [
        () => jwt({ exp: now() + 60, isBlocked: true, text: 'a'.repeat(6500) }),
        '8192 characters',
      ],
      'in a token that is valid for too long': [
        () => jwt({ exp: now() + 31 * 24 * 3600, isBlocked: true }),
        '30 days',
      ],
    };
    test.for(Object.entries(MANY))('a visitor is refused %s', async ([, [token, reason]]) => {
      for (const visibility of ['public', 'visitor-auth'] as const) {
        await scene.update({ visibility, authFallbackUrl: null });
        expect(await outcome(token())).toBe('needs-authentication');
        const inUrl = await service.as().post('/urls/published', { url: `${url()}?jwt_token=${token()}` });
        expect(inUrl.status).toBe(401);
        expect(inUrl.body.error.message).toContain(reason);
        await scene.update({ authFallbackUrl: 'https://example.com/login' });
        const given = await service
          .as()
          .post('/urls/published', { url: `${url()}?jwt_token=${token()}`, redirectOnError: true });
        expect(given.body).toMatchObject({ target: 'external' });
      }
      await scene.update({ visibility: 'public', published: false });
      expect(await outcome(token())).toBe('not-found');
      // Without adaptive content, claims are ignored, and cannot be too many.
      await scene.update({ published: true, adaptiveContent: false });
      expect(await outcome(token())).toBe('found');
    });

    test('a visitor may have all the claims that the largest schema declares', async () => {
      const flag = { type: 'boolean', description: '' };
      const properties = { isPro: flag, isBlocked: flag };
      const jsonSchema = { type: 'object', properties, additionalProperties: false };
      await expectOk(scene.admin.put(`${scene.at}/adaptive-schema`, { jsonSchema }));
      const token = jwt(`{"exp":${now() + 60},"isBlocked":true,"numbers":${numbers()}}`);
      expect((await resolve(token)).status).toBe(200);
      expect(await claimsOf({ visitorToken: token })).toEqual({ signed: { isBlocked: true }, unsigned: {} });
    });
  });
});

test('a ping returns a JWT with the claims of the member, which opens no site', async () => {
  const { serviceVisitorClaims: token } = await expectOk(
    scene.admin.post(`/orgs/${scene.organization}/ping`),
  );
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  expect(claims).toMatchObject({ sub: scene.owner.id, organization: scene.organization, role: 'admin' });
  expect(claims.exp - now()).toBeGreaterThan(3500);
  expect(await outcome(token)).toBe('needs-authentication');
  expect((await service.as(token).get(scene.space.at)).status).toBe(401);
});
