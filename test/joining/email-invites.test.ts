import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'docs@example.com' });
});
afterAll(() => service.close());

const unverify = (user: string) =>
  service.runtime.database.db
    .updateTable('user')
    .set({ email_verified_at: null })
    .where('id', '=', user)
    .execute();

test('an invite by e-mail is accepted by the user with its address, once', async () => {
  const { path, admin, invite, accept, roleOf } = await setScene(service);
  const [ann, bob] = [
    await service.build.user({ email: 'ann@joining.example' }),
    await service.build.user({ email: 'bob@joining.example' }),
  ];
  const id = await invite('ann@joining.example', { role: 'review', sso: true });
  expect((await admin.get(`${path}/invites`)).body.items).toMatchObject([
    { object: 'invite', id, email: 'ann@joining.example', role: 'review', sso: true },
  ]);
  expect(await accept(bob, id)).toBe(404);
  expect(await accept(ann, id)).toBe(200);
  expect(await roleOf(ann.id)).toBe('review');
  expect((await admin.get(`${path}/members/${ann.id}`)).body.sso).toBe(true);
  expect(await accept(ann, id)).toBe(404);
  expect((await admin.get(`${path}/invites`)).body.count).toBe(0);
});

test('an invite by e-mail requires that the address is verified', async () => {
  const { invite, accept, roleOf } = await setScene(service);
  const ann = await service.build.user({ email: 'ann@unverified.example' });
  await unverify(ann.id);
  const id = await invite('ann@unverified.example');
  expect(await accept(ann, id)).toBe(403);
  expect(await roleOf(ann.id)).toBeUndefined();
});

test.for([
  ['Ann.Case@Joining.EXAMPLE', 'ann.case@joining.example'],
  ['ａｎｎ.wide＠joining.example', 'ann.wide@joining.example'],
  ['ann@münchen.example', 'ann@xn--mnchen-3ya.example'],
  ['jose\u0301@joining.example', 'jos\u00e9@joining.example'],
] as const)('an invite by e-mail names %s however it is written', async ([written, email]) => {
  const { path, admin, invite, accept } = await setScene(service);
  const person = await service.build.user({ email });
  const ids = [await invite(written), await invite(email)];
  // One address has one invite, the last.
  expect((await admin.get(`${path}/invites`)).body.count).toBe(1);
  expect(await accept(person, ids[0] as string)).toBe(404);
  expect(await accept(person, ids[1] as string)).toBe(200);
});

test('an invite by e-mail takes its role from the address, the request or the organization, in this order', async () => {
  const { path, admin } = await setScene(service);
  await expectOk(admin.patch(path, { defaultRole: 'comment' }));
  const rolesOf = async (body: object): Promise<unknown[]> =>
    (await expectOk(admin.post(`${path}/invites`, body))).invites.map(({ role }: { role: unknown }) => role);
  const own = { email: 'own@roles.example', role: null };
  expect(await rolesOf({ emails: [own, 'a@roles.example'], role: 'edit' })).toEqual([null, 'edit']);
  expect(await rolesOf({ emails: [own, 'a@roles.example'] })).toEqual([null, 'comment']);
  expect(await rolesOf({ emails: ['a@roles.example'], role: null })).toEqual([null]);
});

test('an invite by e-mail skips members, and does not reveal who has an account', async () => {
  const { id, path, admin } = await setScene(service);
  await service.build.member(id, 'read', { email: 'member@joining.example' });
  await service.build.user({ email: 'known@joining.example' });
  const emails = ['Member@joining.example', 'known@joining.example', 'unknown@joining.example'];
  const { status, body } = await admin.post(`${path}/invites`, { emails });
  expect(status).toBe(200);
  expect(body).toMatchObject({ users: [], invited: 2 });
  const [known, unknown] = body.invites.map((invite: object) => Object.keys(invite));
  expect(known).toEqual(unknown);
});

test('an invite by e-mail can be revoked, and ends when its user is removed from the organization', async () => {
  const { path, admin, link, invite, accept } = await setScene(service);
  const ann = await service.build.user({ email: 'ann@revoked.example' });
  const revoked = await invite('ann@revoked.example');
  expect((await admin.delete(`${path}/invites/${revoked}`)).status).toBe(205);
  expect((await admin.delete(`${path}/invites/${revoked}`)).status).toBe(204);
  expect(await accept(ann, revoked)).toBe(404);
  const pending = await invite('ann@revoked.example');
  await accept(ann, (await link()).secret);
  await expectOk(admin.delete(`${path}/members/${ann.id}`));
  expect(await accept(ann, pending)).toBe(404);
});

test('an invite by e-mail cannot be revoked as a link, nor a link as an invite by e-mail', async () => {
  const { path, admin, link, invite } = await setScene(service);
  const [byMail, byLink] = [await invite('ann@kinds.example'), (await link()).id];
  expect((await admin.delete(`${path}/link-invites/${byMail}`)).status).toBe(204);
  expect((await admin.patch(`${path}/link-invites/${byMail}`, { role: 'admin' })).status).toBe(404);
  expect((await admin.delete(`${path}/invites/${byLink}`)).status).toBe(204);
});

test.for([
  'ann',
  'ann@',
  '@joining.example',
  'ann@joining',
  'ann@-joining.example',
  'ann@@joining.example',
  'a nn@joining.example',
  'ann..b@joining.example',
  'ann@127.0.0.1',
  'ann@0x7f.1',
  'ann@ex%61mple.com',
  `${'a'.repeat(65)}@joining.example`,
  `ann@${'a.'.repeat(200)}example`,
  'x'.repeat(2000),
])('an invite by e-mail is refused for what is no address: %s', async (email) => {
  const { path, admin } = await setScene(service);
  const { status, body } = await admin.post(`${path}/invites`, { emails: [email] });
  expect(status).toBe(400);
  expect(body.error.details[0].path).toMatch(/^emails\.0/);
});

test('one user can mail few invites to an address, and many in total, however many organizations they have', async () => {
  const { path, adminId, admin, invite } = await setScene(service);
  const other = await expectOk(admin.post('/orgs', { title: 'Another' }));
  const email = 'flooded@joining.example';
  for (let i = 0; i < 5; i++) await invite(email);
  for (const id of [path, `/orgs/${other.id}`]) {
    const { status, body } = await admin.post(`${id}/invites`, { emails: [email] });
    expect([status, body.error.message]).toEqual([429, 'Too many attempts; try again in 60 minutes.']);
  }
  expect((await admin.get(`${path}/invites`)).body.count).toBe(1);
  expect((await admin.post(`${path}/invites`, { emails: ['jo@joining.example'] })).status).toBe(200);
  await service.runtime.database.db
    .updateTable('attempt')
    .set({ count: 901 })
    .where('key', 'like', 'invite-from:%')
    .execute();
  const many = Array.from({ length: 100 }, (_, i) => `person${i}@joining.example`);
  expect((await admin.post(`${path}/invites`, { emails: many })).status).toBe(429);
  expect((await admin.get(`${path}/invites`)).body.count).toBe(2);
  // Nothing was sent, so there is room for fewer.
  await invite('joe@joining.example');
  const scene = await setScene(service);
  expect(scene.adminId).not.toBe(adminId);
  await scene.invite(email);
});
