import { afterAll, beforeAll, expect, test } from 'vitest';
import { CERTIFICATES, IDENTITY_PROVIDER } from '../helpers/identity-provider.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function setUp() {
  const { id, admin } = await service.build.organization();
  return { id, admin: service.as(admin.token), providers: `/orgs/${id}/saml`, sso: `/orgs/${id}/sso` };
}

test('a SAML provider is pending until entity id, certificate and SSO URL are set, whichever comes last', async () => {
  const { admin, providers, sso } = await setUp();
  const fields = Object.entries(IDENTITY_PROVIDER);
  for (const last of fields) {
    const others = Object.fromEntries(fields.filter((field) => field !== last));
    const { id, status } = await expectOk(admin.post(providers, { label: 'Login', ...others }));
    expect(status).toBe('pending');
    expect((await service.as().get(sso)).body.items).toEqual([]);
    const complete = await admin.patch(`${providers}/${id}`, Object.fromEntries([last]));
    expect(complete.body.status).toBe('active');
    const reset = await admin.patch(`${providers}/${id}`, { [last[0]]: '' });
    expect(reset.body.status).toBe('pending');
  }
});

test('a SAML provider has the URLs of the service, the role and team of new members, and the expiry of its certificate', async () => {
  const { id: organization, admin, providers } = await setUp();
  const team = await service.build.team(organization, { title: 'Staff' });
  const given = { label: 'Login', defaultTeam: team.id, defaultRole: 'edit', ...IDENTITY_PROVIDER };
  const { status, body } = await admin.post(providers, given);
  expect(status).toBe(201);
  const at = `http://docs.test/auth/saml/${body.id}`;
  expect(body).toMatchObject({
    object: 'saml-provider',
    label: 'Login',
    entityID: IDENTITY_PROVIDER.entityID,
    ssoURL: IDENTITY_PROVIDER.ssoURL,
    defaultRole: 'edit',
    defaultTeam: { object: 'team', id: team.id, title: 'Staff', members: 0 },
    service: { acsURL: `${at}/acs`, startURL: `${at}/start`, entityID: `${at}/metadata` },
    urls: { location: `http://docs.test/v1${providers}/${body.id}` },
    certificates: [{ subject: 'CN=login.example', expiresAt: expect.stringMatching(/^21\d\d-/) }],
  });
  expect((await admin.get(`${providers}/${body.id}`)).body).toEqual(body);
  expect((await admin.get(providers)).body.items).toEqual([body]);
  await expectOk(admin.delete(`/orgs/${organization}/teams/${team.id}`));
  expect((await admin.get(`${providers}/${body.id}`)).body.defaultTeam).toBeUndefined();
});

test('a SAML provider has two certificates while it changes its key', async () => {
  const { admin, providers } = await setUp();
  const certificate = `first\n${CERTIFICATES.rsa}\nsecond ${CERTIFICATES.next}${CERTIFICATES.rsa}`;
  const { body } = await admin.post(providers, { label: 'Login', certificate });
  expect(body.certificates.map(({ subject }: { subject: string }) => subject)).toEqual([
    'CN=login.example',
    'CN=next.example',
  ]);
  expect(body.certificate).toBe(CERTIFICATES.rsa + CERTIFICATES.next);
  const alone = CERTIFICATES.next.replace(/-----.*-----|\n/g, '');
  const bare = await admin.patch(`${providers}/${body.id}`, { certificate: alone });
  expect(bare.body.certificate).toBe(CERTIFICATES.next);
});

test('SAML providers are listed to anyone for signing in, newest first', async () => {
  const { admin, providers, sso } = await setUp();
  const made1 = await expectOk(admin.post(providers, { label: 'One', ...IDENTITY_PROVIDER }));
  const made2 = await expectOk(admin.post(providers, { label: 'Two', ...IDENTITY_PROVIDER }));
  await expectOk(admin.post(providers, { label: 'Pending' }));
  const login = (id: string, label: string) => ({
    id,
    label,
    startURL: `http://docs.test/auth/saml/${id}/start`,
  });
  const { status, body } = await service.as().get(sso);
  expect(status).toBe(200);
  expect(body).toEqual({ items: [login(made2.id, 'Two'), login(made1.id, 'One')] });
  expect((await service.as().get('/orgs/aaaaaaaaaaaaaaaaaaaa/sso')).status).toBe(404);
});

test.for([
  ['a text', 'no certificate!'],
  ['base64 of nothing', 'AAAA'],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
  ['a public key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
  ['a block without an end', CERTIFICATES.rsa.slice(0, -20)],
  ['one of two without an end', CERTIFICATES.next + CERTIFICATES.rsa.slice(0, -20)],
  [
    'one of two that is none',
    `${CERTIFICATES.next}-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----`,
  ],
  ['a short key', CERTIFICATES.weak],
  ['a key that signs no SAML', CERTIFICATES.edwards],
  ['a key that signs SAML with an algorithm that is not supported', CERTIFICATES.ec],
  ['too much', 'A'.repeat(10_001)],
])('a SAML provider is refused with %s as its certificate', async ([, certificate]) => {
  const { admin, providers } = await setUp();
  const { status, body } = await admin.post(providers, { label: 'Login', certificate });
  expect(status).toBe(400);
  expect(body.error.details).toEqual([{ path: 'certificate', message: expect.any(String) }]);
  expect((await admin.get(providers)).body.count).toBe(0);
});

test('a SAML provider is refused with fields that are too long or not a URL', async () => {
  const { admin, providers } = await setUp();
  for (const field of [
    { label: '' },
    { label: 'x'.repeat(31) },
    { label: 'Login', entityID: 'x'.repeat(1025) },
    { label: 'Login', ssoURL: 'javascript:alert(1)' },
    { label: 'Login', ssoURL: `https://login.example/${'x'.repeat(2048)}` },
    { label: 'Login', defaultRole: 'owner' },
    {},
  ])
    expect((await admin.post(providers, field)).status).toBe(400);
});

test('SAML providers are managed by admins, and each change is recorded as an event that only admins see', async () => {
  const { id, admin, providers } = await setUp();
  const member = service.as((await service.build.member(id, 'create')).token);
  const provider = `${providers}/${(await expectOk(admin.post(providers, { label: 'Login' }))).id}`;
  expect((await member.get(providers)).status).toBe(403);
  expect((await member.patch(provider, { label: 'Mine' })).status).toBe(403);
  await expectOk(admin.patch(provider, { label: 'Renamed' }));
  expect((await admin.delete(provider)).status).toBe(205);
  expect((await admin.delete(provider)).status).toBe(204);
  const typesFor = async (client: typeof admin) =>
    (await client.get(`/orgs/${id}/events`)).body.items.map(({ type }: { type: string }) => type);
  expect(await typesFor(admin)).toEqual([
    'saml_provider.deleted',
    'saml_provider.updated',
    'saml_provider.created',
  ]);
  expect(await typesFor(member)).toEqual([]);
});

test('an organization has at most 20 SAML providers', async () => {
  const { id, admin, providers } = await setUp();
  const rows = Array.from({ length: 20 }, (_, i) => ({
    id: `${id.slice(0, 18)}${10 + i}`,
    organization_id: id,
    label: 'Login',
    created_at: new Date(),
  }));
  await service.runtime.database.db.insertInto('saml_provider').values(rows).execute();
  expect((await admin.post(providers, { label: 'Login' })).status).toBe(409);
});
