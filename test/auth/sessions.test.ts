import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { safeReturnTo } from '../../routers/auth/return-to.ts';
import { isOwnRequest } from '../../server/auth/browser.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { openSessionFor } from './browser.ts';

let service: TestService;
let organization: string;
beforeAll(async () => {
  service = await startTestService();
  organization = (await service.build.organization({ title: 'Acme' })).id;
});
afterAll(() => service.close());

const OWN = { origin: 'http://docs.test', 'sec-fetch-site': 'same-origin' };

async function signedIn() {
  const person = await service.build.member(organization, 'admin');
  const { cookie, id } = await openSessionFor(service, person.id);
  const send = async (
    method: 'GET' | 'PATCH' | 'POST',
    url: string,
    headers: Record<string, string> = OWN,
    payload?: object,
  ) => service.app.inject({ method, url, headers: { cookie, ...headers }, ...(payload && { payload }) });
  return { ...person, cookie, session: id, send };
}

it('a session authenticates its user, over /v1 and tRPC', async () => {
  const { id, send } = await signedIn();
  expect((await send('GET', '/v1/user')).json()).toMatchObject({ id });
  const changed = await send('PATCH', `/v1/users/${id}`, OWN, { displayName: 'Jo' });
  expect(changed.json()).toMatchObject({ displayName: 'Jo' });
  expect((await send('GET', '/trpc/users.me')).json().result.data).toMatchObject({ json: { id } });
  const input = { json: { userId: id, displayName: 'Joe' } };
  expect((await send('POST', '/trpc/users.update', OWN, input)).statusCode).toBe(200);
});

it.for([
  ['GET', { 'sec-fetch-site': 'cross-site' }],
  ['GET', { 'sec-fetch-site': 'same-site' }],
  ['GET', { origin: 'http://elsewhere.test' }],
  ['PATCH', {}],
  ['PATCH', { 'sec-fetch-site': 'none' }],
  ['PATCH', { 'sec-fetch-site': 'same-site', origin: 'http://docs.test' }],
  ['PATCH', { origin: 'http://elsewhere.test' }],
  ['PATCH', { origin: 'http://docs.test.elsewhere.test' }],
  ['PATCH', { origin: 'https://docs.test' }],
  ['PATCH', { origin: 'null' }],
] as const)('a session does not authenticate requests from other pages: %s %o', async ([method, headers]) => {
  const { id, send } = await signedIn();
  const url = method === 'GET' ? '/v1/user' : `/v1/users/${id}`;
  const body = method === 'GET' ? undefined : { displayName: 'Mallory' };
  expect((await send(method, url, headers, body)).statusCode).toBe(403);
  const row = await service.runtime.database.db
    .selectFrom('user')
    .select('display_name')
    .where('id', '=', id)
    .executeTakeFirst();
  expect(row?.display_name).not.toBe('Mallory');
  const procedure = method === 'GET' ? '/trpc/users.me' : '/trpc/users.update';
  const input = body && { json: { userId: id, ...body } };
  expect((await send(method === 'GET' ? 'GET' : 'POST', procedure, headers, input)).statusCode).toBe(403);
});

it('a session is ignored in a request with a token, valid or not', async () => {
  const { send } = await signedIn();
  const other = await service.build.user();
  const answer = await send('GET', '/v1/user', { ...OWN, authorization: `Bearer ${other.token}` });
  expect(answer.json()).toMatchObject({ id: other.id });
  expect((await send('GET', '/v1/user', { ...OWN, authorization: 'Bearer none' })).statusCode).toBe(401);
  // The page of another origin has its own token.
  const foreign = { 'sec-fetch-site': 'cross-site', authorization: `Bearer ${other.token}` };
  expect((await send('GET', '/v1/user', foreign)).statusCode).toBe(200);
});

it.for(['expires_at', 'idle_expires_at'] as const)('a session ends at its %s', async (column) => {
  const { session, send } = await signedIn();
  await sql`update session set ${sql.ref(column)} = now() - interval '1 second' where id = ${session}`.execute(
    service.runtime.database.db,
  );
  expect((await send('GET', '/v1/user')).statusCode).toBe(401);
});

it('using a session postpones its end', async () => {
  const { session, send } = await signedIn();
  const { db } = service.runtime.database;
  await sql`update session set last_seen_at = now() - interval '1 hour',
      idle_expires_at = now() + interval '1 hour' where id = ${session}`.execute(db);
  await send('GET', '/v1/user');
  const read = () =>
    db
      .selectFrom('session')
      .select(sql<boolean>`idle_expires_at > now() + interval '6 days'`.as('isLater'))
      .where('id', '=', session)
      .executeTakeFirst();
  await expect.poll(async () => (await read())?.isLater).toBe(true);
});

it('signing in again replaces the session of the browser, and leaves those of other browsers', async () => {
  const { id, cookie, send } = await signedIn();
  const elsewhere = await openSessionFor(service, id);
  const next = await openSessionFor(service, id, cookie);
  expect((await send('GET', '/v1/user')).statusCode).toBe(401);
  for (const opened of [elsewhere, next])
    expect((await send('GET', '/v1/user', { ...OWN, cookie: opened.cookie })).statusCode).toBe(200);
});

it('neither sessions nor tokens authenticate a disabled user', async () => {
  const { id, token, send } = await signedIn();
  await sql`update "user" set disabled_at = now() where id = ${id}`.execute(service.runtime.database.db);
  expect((await send('GET', '/v1/user')).statusCode).toBe(401);
  expect((await service.as(token).get('/user')).status).toBe(401);
  await expect(openSessionFor(service, id)).rejects.toThrow('disabled');
});

test.for([
  ['/auth/account', '/auth/account'],
  ['/v1/orgs?limit=1#x', '/v1/orgs?limit=1#x'],
  ['/a/../b', '/b'],
  ...[
    undefined,
    7,
    '',
    'relative',
    '//elsewhere.test',
    '/\\elsewhere.test',
    '/a\\b',
    '\\\\elsewhere.test',
    '/.//elsewhere.test',
    '/a/..//elsewhere.test',
    '/\t/elsewhere.test',
    '/\n/elsewhere.test',
    '/a\r\nset-cookie: x',
    ' /elsewhere',
    'https://elsewhere.test',
    'http://own.invalid/a',
    'javascript:alert(1)',
  ].map((given) => [given, '/auth/account'] as const),
] as const)('after signing in, %j leads to %s', ([given, expected]) => {
  expect(safeReturnTo(given)).toBe(expected);
});

test('an address that is too long is not returned to after signing in', () => {
  expect(safeReturnTo(`/${'a'.repeat(3000)}`)).toBe('/auth/account');
});

test('a request whose browser does not say where it comes from counts as coming from the service only if it changes nothing', () => {
  expect(isOwnRequest({ method: 'GET', headers: {} }, 'http://docs.test')).toBe(true);
  expect(isOwnRequest({ method: 'POST', headers: {} }, 'http://docs.test')).toBe(false);
  expect(
    isOwnRequest({ method: 'DELETE', headers: { origin: 'http://docs.test' } }, 'http://docs.test'),
  ).toBe(true);
});
