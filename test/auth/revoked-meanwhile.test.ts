/** What a request may still do whose credential is revoked, or whose user gets a password, while it is under way. */

import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { kyselyOf } from '../../routers/base/db.ts';
import { lockCaller, lockUser } from '../../routers/people/lock-caller.operation.ts';
import { toolActorOf } from '../helpers/actor.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { outsideTransaction } from '../helpers/transactions.ts';
import { appOf, browserOf } from './second-factors.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Revokes all credentials of a user, as a link for a new password does, once a request waits for its end. */
async function revokeDuring<Result>(user: string, request: () => Promise<Result>): Promise<Result> {
  const { database } = service.runtime;
  const sent = await database.transaction(async (em) => {
    const db = kyselyOf(em);
    await lockUser(db, user);
    const outcome = outsideTransaction(request);
    await outsideTransaction(() => untilBlocked((statement) => sql.raw(statement).execute(database.db)));
    for (const table of ['api_token', 'session'] as const)
      await db.deleteFrom(table).where('user_id', '=', user).execute();
    return { outcome };
  });
  return sent.outcome;
}

test('a token that is revoked meanwhile creates no other', async () => {
  const { id, token } = await service.build.user();
  const { status } = await revokeDuring(id, () => service.as(token).post('/user/tokens', {}));
  expect(status).toBe(401);
  const { db } = service.runtime.database;
  expect(await db.selectFrom('api_token').select('id').where('user_id', '=', id).execute()).toEqual([]);
});

test('a session that ends meanwhile turns on no authenticator app', async () => {
  const { id } = await service.build.user();
  const browser = await browserOf(service, id);
  const { secret } = (await browser.api('POST', '/user/second-factor/totp')).json();
  const { statusCode } = await revokeDuring(id, () =>
    browser.api('POST', '/user/second-factor/totp/confirm', { code: appOf(secret)() }),
  );
  expect(statusCode).toBe(401);
});

test.each([
  ['expired', "update api_token set expires_at = now() - interval '1 second' where user_id = "],
  ['of a disabled user', 'update "user" set disabled_at = now() where id = '],
])('a token that is %s does not let in', async (_, change) => {
  const { id, token } = await service.build.user();
  const { database } = service.runtime;
  const { id: credential } = await database.db
    .selectFrom('api_token')
    .select('id')
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow();
  expect((await service.as(token).get('/user')).status).toBe(200);
  const caller = {
    ...toolActorOf(id),
    credential: { kind: 'token', id: credential, scope: 'write', organization: null },
  } as const;
  const lock = () => database.transaction((em) => lockCaller(kyselyOf(em), caller));
  await lock();
  await sql`${sql.raw(change)}${id}`.execute(database.db);
  await expect(lock()).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a first password does not replace one that was set meanwhile', async () => {
  const { id } = await service.build.user();
  const { passwords } = service.runtime.services;
  const browser = await browserOf(service, id);
  const hash = passwords.hash.bind(passwords);
  const spy = vi.spyOn(passwords, 'hash').mockImplementationOnce(async (...given) => {
    const result = await hash(...given);
    await service.runtime.database.db
      .insertInto('password')
      .values({ user_id: id, hash: result, changed_at: new Date() })
      .execute();
    return result;
  });
  const { statusCode } = await browser.api('PUT', '/user/password', {
    password: 'the choice of somebody else 3',
  });
  spy.mockRestore();
  expect(statusCode).toBe(409);
});

test('the sender of a body that arrives slowly is authenticated again', async () => {
  const { id, token } = await service.build.organization().then(({ admin }) => admin);
  const body = Buffer.from(JSON.stringify({ title: 'New' }));
  async function* slowly() {
    yield body.subarray(0, 3);
    await setTimeout(1100);
    await service.runtime.database.db.deleteFrom('api_token').where('user_id', '=', id).execute();
    yield body.subarray(3);
  }
  const { statusCode } = await service.app.inject({
    method: 'POST',
    url: '/v1/orgs',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    },
    payload: Readable.from(slowly()),
  });
  expect(statusCode).toBe(401);
});
