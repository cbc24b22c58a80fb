import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES, type Role } from '../../schema/enums.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

/** Concurrent requests share statements; what one of them may see must not depend on the others. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('concurrent callers get the same responses as callers one by one', async () => {
  const { build, as } = service;
  const organizations = [await build.organization(), await build.organization()];
  const tokens: (string | undefined)[] = [undefined, 'colophon_unknown', (await build.user()).token];
  const paths: string[] = [];
  for (const { id, admin } of organizations) {
    const collection = await build.collection(id);
    const guest = await build.member(id, null);
    const team = await build.team(id);
    const spaces = [
      await build.space(id, { defaultLevel: 'inherit' }),
      await build.space(id, { defaultLevel: null }),
      await build.space(id, { parent: collection.id, defaultLevel: null }),
    ];
    await build.grant(id, { user: guest.id, space: spaces[1]?.id ?? '', role: 'edit' });
    await build.grant(id, { team: team.id, collection: collection.id, role: 'comment' });
    const members = await Promise.all((ROLES as readonly Role[]).map((role) => build.member(id, role)));
    const disabled = await build.member(id, 'admin', { disabled: true });
    tokens.push(admin.token, guest.token, disabled.token, ...members.map(({ token }) => token));
    const changeRequest = await build.changeRequest(spaces[0]?.id ?? '', { createdBy: admin.id });
    paths.push(
      `/orgs/${id}`,
      `/collections/${collection.id}`,
      ...spaces.flatMap((space) => [`/spaces/${space.id}`, `/spaces/${space.id}/content`]),
      `/spaces/${spaces[0]?.id}/content/pages`,
      `/spaces/${spaces[0]?.id}/revisions/${spaces[0]?.revision}`,
      `/spaces/${spaces[0]?.id}/change-requests/${changeRequest.number}`,
      `/spaces/${spaces[0]?.id}/change-requests/${changeRequest.id}`,
      `/spaces/${spaces[1]?.id}/change-requests/${changeRequest.number}`,
    );
  }
  const calls = tokens.flatMap((token) => paths.map((path) => ({ token, path })));
  const shown = async ({ token, path }: (typeof calls)[number]) => {
    const { status, body } = await as(token).get(path);
    return { path, status, body };
  };
  const alone = [];
  for (const call of calls) alone.push(await shown(call));
  expect(new Set(alone.map(({ status }) => status))).toEqual(new Set([200, 401, 404]));
  expect(await Promise.all(calls.map(shown))).toEqual(alone);
});

test('a token that has been revoked is refused by the next request, while other requests are in progress', async () => {
  const { build, as, runtime } = service;
  const others = await Promise.all(Array.from({ length: 10 }, () => build.user()));
  const person = await build.user();
  const before = [person, ...others].map(({ token }) => as(token).get('/user'));
  expect((await before[0])?.status).toBe(200);
  const during = others.map(({ token }) => as(token).get('/user'));
  await runtime.database.db
    .deleteFrom('api_token')
    .where('hash', '=', hash('sha256', person.token))
    .execute();
  const after = [person, ...others].map(({ token }) => as(token).get('/user'));
  expect((await Promise.all(after)).map(({ status }) => status)).toEqual([401, ...others.map(() => 200)]);
  await Promise.all([...before, ...during]);
});
