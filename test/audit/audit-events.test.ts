import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSignIn } from '../../routers/auth/record.operation.ts';
import { endSession, endSessionsOf } from '../../routers/auth/sessions.operation.ts';
import { ACCOUNT_ACTIONS, WEBHOOK_ACTIONS } from '../../routers/events/audit-event.ts';
import { EVENT_TYPES, PROGRESS_EVENTS } from '../../routers/events/events.api.ts';
import { newId } from '../../schema/ids.ts';
import { openSessionFor } from '../auth/browser.ts';
import { type Scene, setScene } from '../change-requests/scene.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { audited, sealAll, verify } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const pathOf = ({ organization }: Scene) => `/orgs/${organization}/audit-events`;
const get = (scene: Scene, id: string) => expectOk(scene.me.get(`${pathOf(scene)}/${id}`));

test('an audit event says who did what to which object, from where and with which token', async () => {
  const scene = await setScene(service);
  const { organization, admin, me } = scene;
  const token = await expectOk(me.get('/user/tokens'));
  const answer = await service.app.inject({
    method: 'PATCH',
    url: `/v1${scene.path}`,
    headers: { authorization: `Bearer ${admin.token}`, 'user-agent': `curl/${'8'.repeat(400)}` },
    payload: { title: 'Renamed' },
    remoteAddress: '192.0.2.7',
  });
  const [event] = await audited(me, organization);
  expect(event).toMatchObject({
    action: 'space.updated',
    actor: { type: 'user', id: admin.id },
    source: 'api',
    target: { type: 'space', id: scene.space },
    address: '192.0.2.7',
  });
  const details = await get(scene, event?.id as string);
  expect(details).toMatchObject({
    ...event,
    correlationId: answer.headers['x-request-id'],
    credential: token.items[0].id,
    payload: { space: scene.space },
  });
  expect(details.actor.label).toMatch(/^Person/);
  expect(details.userAgent).toHaveLength(300);
  expect(JSON.stringify(details)).not.toContain(admin.token);
  const [, ...events] = await audited(me, organization);
  const recorded = await expectOk(me.get(`/orgs/${organization}/events?limit=1000`));
  expect(events).toHaveLength(recorded.count - 1);
});

test('an audit event caused in a session names the session', async () => {
  const scene = await setScene(service);
  const { cookie, id } = await openSessionFor(service, scene.admin.id);
  await service.app.inject({
    method: 'PATCH',
    url: `/v1${scene.path}`,
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    payload: { title: 'By hand' },
  });
  const [event, signIn] = await audited(scene.me, scene.organization);
  expect(event).toMatchObject({ action: 'space.updated', source: 'ui', actor: { id: scene.admin.id } });
  expect((await get(scene, event?.id as string)).credential).toBe(id);
  expect(signIn).toMatchObject({
    action: 'session.created',
    actor: { type: 'user', id: scene.admin.id },
    target: { type: 'session', id },
  });
});

test('ending one session, or all, records an audit event', async () => {
  const scene = await setScene(service);
  const { id } = scene.admin;
  const sessions: string[] = [];
  for (let i = 0; i < 3; i++) sessions.push((await openSessionFor(service, id)).id);
  const { transaction } = service.runtime.database;
  expect(await transaction((em) => endSession(em, { user: id }, sessions[0] as string))).toBe(true);
  expect(await transaction((em) => endSession(em, { user: id }, sessions[0] as string))).toBe(false);
  expect(await transaction((em) => endSessionsOf(em, id))).toBe(2);
  const [all, one, ...rest] = await audited(scene.me, scene.organization, '&action=session.ended');
  expect(rest).toEqual([]);
  expect([one?.target, all?.target]).toEqual([
    { type: 'session', id: sessions[0] },
    { type: 'user', id },
  ]);
});

test('a refused or rolled back change records no audit event', async () => {
  const scene = await setScene(service);
  const before = await audited(scene.me, scene.organization);
  expect((await scene.me.patch(scene.path, { mergeRules: { type: 'what' } })).status).toBe(400);
  expect((await scene.me.delete(`/orgs/${scene.organization}/members/${scene.admin.id}`)).status).toBe(409);
  expect(await audited(scene.me, scene.organization)).toEqual(before);
});

test('an action on an account is recorded in the logs of the user’s organizations', async () => {
  const scene = await setScene(service);
  const other = await service.build.organization();
  await service.build.join(other.id, scene.admin.id, 'read');
  const { id } = await expectOk(scene.me.post('/user/tokens', { name: 'CI' }));
  await scene.me.delete(`/user/tokens/${id}`);
  for (const [client, organization] of [
    [scene.me, scene.organization],
    [service.as(other.admin.token), other.id],
  ] as const) {
    const events = await audited(client, organization, `&target=${id}`);
    expect(events.map(({ action }) => action)).toEqual(['token.revoked', 'token.created']);
    expect(events[0]?.actor.id).toBe(scene.admin.id);
  }
});

test('creating, changing and deleting a webhook is recorded, without its secrets', async () => {
  const { me, organization, admin } = await setScene(service);
  const url = 'https://hooks.example.com/services/T0P-S3CRET?key=k3y';
  const webhook = await expectOk(me.post(`/orgs/${organization}/webhooks`, { url }));
  const path = `/orgs/${organization}/webhooks/${webhook.id}`;
  await expectOk(me.patch(path, { url: 'https://elsewhere.example.com/in' }));
  const { secret } = await expectOk(me.post(`${path}/rotate-secret`));
  expect((await me.delete(path)).status).toBe(205);
  expect((await me.delete(path)).status).toBe(204);
  const events = await audited(me, organization, '&targetType=webhook');
  expect(events.map(({ action }) => action)).toEqual([
    'webhook.deleted',
    'webhook.secret.rotated',
    'webhook.updated',
    'webhook.created',
  ]);
  const all = await Promise.all(
    events.map(({ id }) => expectOk(me.get(`/orgs/${organization}/audit-events/${id}`))),
  );
  for (const event of all)
    expect(event).toMatchObject({ actor: { id: admin.id }, target: { type: 'webhook', id: webhook.id } });
  expect(all.map(({ payload }) => payload.host)).toEqual([
    'elsewhere.example.com',
    'elsewhere.example.com',
    'elsewhere.example.com',
    'hooks.example.com',
  ]);
  const text = JSON.stringify(all);
  for (const hidden of ['S3CRET', 'k3y', webhook.secret, secret]) expect(text).not.toContain(hidden);
});

test('the list of audit events is filtered by action, actor, target, target type and time, and paginated', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const reviewer = await service.build.member(organization, 'admin');
  const team = await expectOk(
    service.as(reviewer.token).put(`/orgs/${organization}/teams`, { title: 'One' }),
  );
  await expectOk(me.patch(`/orgs/${organization}/teams/${team.id}`, { title: 'Two' }));
  const all = await audited(me, organization);
  const matching = async (query: string) => (await audited(me, organization, query)).map(({ id }) => id);
  const expected = (keep: (event: (typeof all)[0]) => boolean) => all.filter(keep).map(({ id }) => id);
  expect(await matching('&action=team.created')).toEqual(expected(({ action }) => action === 'team.created'));
  expect(await matching(`&actor=${reviewer.id}`)).toEqual(expected(({ actor }) => actor.id === reviewer.id));
  expect(await matching(`&target=${team.id}`)).toHaveLength(2);
  expect(await matching('&targetType=space')).toEqual(expected(({ target }) => target.type === 'space'));
  const middle = all[1]?.occurredAt as string;
  const after = expected(({ occurredAt }) => String(occurredAt) >= middle);
  expect(await matching(`&from=${middle}`)).toEqual(after);
  expect(await matching(`&to=${middle}`)).toEqual(expected(({ occurredAt }) => String(occurredAt) <= middle));
  expect(await matching('&from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z')).toHaveLength(all.length);

  const walked: string[] = [];
  let next: { page: string } | undefined;
  do {
    const query = next ? `?limit=2&page=${next.page}` : '?limit=2';
    const page = await expectOk(me.get(`${pathOf(scene)}${query}`));
    expect(page.count).toBe(all.length);
    walked.push(...page.items.map(({ id }: { id: string }) => id));
    next = page.next;
  } while (next);
  expect(walked).toEqual(all.map(({ id }) => id));
});

test('only admins list audit events, and only those of their own organization', async () => {
  const scene = await setScene(service);
  const [event] = await audited(scene.me, scene.organization);
  const paths = ['', '/export', `/${event?.id}`].map((rest) => `${pathOf(scene)}${rest}`);
  paths.push(`/orgs/${scene.organization}/audit-event-actions`);
  const editor = service.as((await service.build.member(scene.organization, 'create')).token);
  const stranger = service.as((await service.build.organization()).admin.token);
  for (const path of paths) {
    expect((await editor.get(path)).status).toBe(403);
    expect((await stranger.get(path)).status).toBe(404);
    expect((await service.as().get(path)).status).toBe(401);
  }
  const own = await service.build.organization();
  const foreign = `/orgs/${own.id}/audit-events/${event?.id}`;
  expect((await service.as(own.admin.token).get(foreign)).status).toBe(404);
  for (const id of [newId(), 'x']) expect((await scene.me.get(`${pathOf(scene)}/${id}`)).status).toBe(404);
  for (const query of ['from=yesterday', 'to=2026', 'page=x', `action=${'x'.repeat(101)}`])
    expect((await scene.me.get(`${pathOf(scene)}?${query}`)).status).toBe(400);
});

test('every action in the list of audited actions is recorded somewhere', async () => {
  const root = join(import.meta.dirname, '../..');
  const sources = ['routers', 'server'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('events/audit-event.ts'))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  );
  const unrecorded = [...ACCOUNT_ACTIONS, ...WEBHOOK_ACTIONS].filter(
    (action) => !sources.some((text) => text.includes(`'${action}'`)),
  );
  expect(unrecorded).toEqual([]);
});

test('the list of audited actions has their names and labels', async () => {
  const scene = await setScene(service);
  const { items } = await expectOk(scene.me.get(`/orgs/${scene.organization}/audit-event-actions`));
  const ids = items.map(({ id }: { id: string }) => id);
  const audited = EVENT_TYPES.filter((type) => !PROGRESS_EVENTS.includes(type));
  expect(ids).toEqual(expect.arrayContaining([...audited, 'session.refused']));
  for (const type of PROGRESS_EVENTS) expect(ids).not.toContain(type);
  expect(items).toContainEqual({
    object: 'audit-event-action',
    id: 'openapi_spec.version.created',
    label: 'OpenAPI spec version created',
  });
});

test('the export has all audit events as lines of JSON, oldest first, from which their seals can be verified', async () => {
  const scene = await setScene(service);
  const { me, organization, admin } = scene;
  for (let i = 0; i < 3; i++) await expectOk(me.patch(scene.path, { title: `Title ${i}` }));
  await sealAll(service);
  const authorization = `Bearer ${admin.token}`;
  const read = (query = '', method: 'GET' | 'HEAD' = 'GET') =>
    service.app.inject({ method, url: `/v1${pathOf(scene)}/export${query}`, headers: { authorization } });
  const answer = await read();
  expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/);
  const lines = answer.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const listed = await audited(me, organization);
  expect(lines.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).reverse());
  expect(lines[0].seal.hash).toMatch(/^[0-9a-f]{64}$/);
  expect((await read('?action=space.updated')).body.trimEnd().split('\n')).toHaveLength(3);
  expect((await read('?action=space.deleted')).body).toBe('');
  // Its length and tag are not known before it is read.
  const { statusCode, headers } = await read('', 'HEAD');
  expect(statusCode).toBe(200);
  expect(headers).not.toHaveProperty('etag');
  expect(headers).not.toHaveProperty('content-length');
  expect((await read('?from=x')).statusCode).toBe(400);
  expect(await verify(service, organization)).toMatchObject({ verified: listed.length, unsealed: 0 });
  const overTrpc = await service.app.inject({
    url: `/trpc/auditEvents.export?input=${encodeURIComponent(JSON.stringify({ json: { organizationId: organization, action: 'space.updated' } }))}`,
    headers: { authorization },
  });
  expect(overTrpc.json().result.data.json).toEqual({
    object: 'export',
    name: 'audit-log.jsonl',
    downloadURL: `http://docs.test/v1${pathOf(scene)}/export?action=space.updated`,
  });
});

describe('failed authentications', () => {
  const flush = () => service.runtime.authFailures.flush();
  const use = (token: string, remoteAddress: string) =>
    service.app.inject({ url: '/v1/user', headers: { authorization: `Bearer ${token}` }, remoteAddress });
  const refusals = (log: string) =>
    service.runtime.database.db
      .selectFrom('audit_event')
      .select(['payload', 'personal', 'target_id as target', 'actor_id as actor'])
      .where('log', '=', log)
      .where('action', '=', 'token.refused')
      .execute();

  test('refused tokens are counted, in the logs of their owner if it is known', async () => {
    const { id, admin } = await service.build.organization();
    const owner = await service.build.user();
    await service.build.join(id, owner.id, 'read');
    const { hash } = await service.runtime.database.db
      .selectFrom('api_token')
      .select('hash')
      .where('user_id', '=', owner.id)
      .where('name', '=', 'test')
      .executeTakeFirstOrThrow();
    await service.runtime.database.db
      .updateTable('api_token')
      .set({ expires_at: new Date(0) })
      .where('hash', '=', hash)
      .execute();
    for (let i = 0; i < 30; i++) expect((await use(owner.token, '192.0.2.1')).statusCode).toBe(401);
    await use(owner.token, '192.0.2.2');
    await flush();
    const found = await refusals(id);
    expect(found.map(({ payload }) => payload.count).sort()).toEqual([1, 30]);
    expect(found[0]).toMatchObject({ target: owner.id, actor: 'anonymous', payload: { reason: 'expired' } });
    expect(await audited(service.as(admin.token), id, '&action=token.refused')).toHaveLength(2);
    await flush();
    expect(await refusals(id)).toHaveLength(2);
  });

  test('refused unknown tokens are counted in the log of the installation, and a flood of them writes few events', async () => {
    const before = (await refusals('installation')).length;
    const { authFailures: counter } = service.runtime.services;
    for (let i = 0; i < 5000; i++)
      counter.record({ action: 'token.refused', reason: 'unknown', address: `2001:db8::${i.toString(16)}` });
    await use('colophon_unknown', '192.0.2.9');
    await flush();
    const found = (await refusals('installation')).slice(before);
    expect(found.length).toBeLessThanOrEqual(1001);
    expect(found.reduce((sum, { payload }) => sum + Number(payload.count), 0)).toBe(5001);
    const [rest] = found.filter(({ payload }) => payload.reason === 'others');
    expect(rest?.payload.count).toBe(4001);
    await sealAll(service);
    expect((await verify(service, 'installation')).fault).toBeUndefined();
  });

  test('failed sign-ins are recorded in the log of the organization, or in those of the user', async () => {
    const { id, admin } = await service.build.organization();
    const { database, services } = service.runtime;
    const refuse = (of: { user: string | null; organization?: string }) =>
      database.transaction((em) =>
        recordSignIn(em, services, { kind: 'refused', method: 'saml', address: '192.0.2.3', ...of }),
      );
    await refuse({ user: null, organization: id });
    await refuse({ user: admin.id });
    await flush();
    const events = await audited(service.as(admin.token), id, '&action=session.refused');
    expect(events.map(({ target }) => target)).toEqual(
      expect.arrayContaining([
        { type: 'organization', id },
        { type: 'user', id: admin.id },
      ]),
    );
    for (const { actor, address } of events) {
      expect(actor).toEqual({ type: 'system', id: 'anonymous' });
      expect(address).toBe('192.0.2.3');
    }
  });

  test('refused visitor tokens are not recorded', async () => {
    const before = (await refusals('installation')).length;
    await use('eyJh.eyJz.c2ln', '192.0.2.10');
    await flush();
    expect(await refusals('installation')).toHaveLength(before);
  });
});
