import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a user is visible to those who share an organization with them, and to themselves', async () => {
  const { id, admin } = await service.build.organization();
  const guest = await service.build.member(id, null);
  const disabled = await service.build.member(id, 'admin', { disabled: true });
  const stranger = (await service.build.organization()).admin;
  const status = async (token: string, user: string) =>
    (await service.as(token).get(`/users/${user}`)).status;
  expect(await status(admin.token, guest.id)).toBe(200);
  expect(await status(guest.token, admin.id)).toBe(200);
  expect(await status(admin.token, disabled.id)).toBe(200);
  expect(await status(disabled.token, admin.id)).toBe(404);
  expect(await status(disabled.token, disabled.id)).toBe(200);
  expect(await status(stranger.token, admin.id)).toBe(404);
  expect(await status(admin.token, 'nobody')).toBe(404);
});

test('an update changes only the given fields, for everyone who sees the user', async () => {
  const { id, admin } = await service.build.organization();
  const person = await service.build.member(id, 'read', { displayName: 'Before' });
  const me = service.as(person.token);
  const photoURL = 'https://example.com/photo.png';
  const updated = await me.patch(`/users/${person.id}`, { photoURL });
  expect(updated).toMatchObject({ status: 200, body: { object: 'user', displayName: 'Before', photoURL } });
  await me.patch(`/users/${person.id}`, { displayName: 'After', email: 'ignored@example.com' });
  const seen = (await service.as(admin.token).get(`/orgs/${id}/members/${person.id}`)).body.user;
  expect(seen).toMatchObject({ displayName: 'After', photoURL });
  expect(seen.email).not.toBe('ignored@example.com');
  expect((await me.get('/user')).body).toEqual(seen);
  expect((await me.patch(`/users/${person.id}`, { photoURL: null })).body.photoURL).toBeUndefined();
});

test('names and photo URLs are validated', async () => {
  const { id, token } = await service.build.user();
  const wrong = [
    { displayName: '' },
    { displayName: 'x'.repeat(65) },
    { displayName: null },
    { photoURL: 'photo.png' },
    { photoURL: 'javascript:alert(1)' },
    { photoURL: `https://example.com/${'x'.repeat(2048)}` },
  ];
  for (const body of wrong) {
    expect((await service.as(token).patch(`/users/${id}`, body)).status, JSON.stringify(body)).toBe(400);
  }
});

test('changing another user responds with 403 if they are visible, otherwise with 404', async () => {
  const { id, admin } = await service.build.organization();
  const person = await service.build.member(id, 'read');
  const stranger = await service.build.user();
  const change = { displayName: 'Other' };
  expect((await service.as(admin.token).patch(`/users/${person.id}`, change)).status).toBe(403);
  expect((await service.as(admin.token).patch(`/users/${stranger.id}`, change)).status).toBe(404);
});
