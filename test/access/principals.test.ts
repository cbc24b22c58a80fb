import { expect, test } from 'vitest';
import { userProcedure } from '../../routers/access/procedures.ts';
import type { Context, Services } from '../../routers/base/context.ts';
import type { Principal } from '../../routers/base/principal.ts';
import { createCallerFactory, operatorJobProcedure, router } from '../../routers/base/trpc.ts';
import { localEngines } from '../../routers/engine/tasks/engines.ts';

const calls = router({
  user: userProcedure.query(() => 'done'),
  operator: operatorJobProcedure.query(() => 'done'),
});

/** Calls as a principal, and counts how often the caller is authenticated. */
function callerAs(principal: Principal | null) {
  const authentications = { times: 0 };
  const context = {
    authenticate: async () => {
      authentications.times++;
      return principal;
    },
    services: { engines: localEngines } as Services,
  } as Context;
  return { authentications, call: createCallerFactory(calls)(context) };
}

const user = {
  kind: 'user',
  user: { id: 'me' },
  credential: { kind: 'token', id: 'token', scope: 'write' },
} as Principal;

test('a user can call procedures for users, and is refused by those for the operator', async () => {
  const { authentications, call } = callerAs(user);
  expect(await call.user()).toBe('done');
  expect(authentications.times).toBe(1);
  await expect(call.operator()).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('the operator can call procedures for the operator, and is refused by those for users', async () => {
  const { call } = callerAs({ kind: 'operator' });
  expect(await call.operator()).toBe('done');
  await expect(call.user()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a caller without a token is refused by procedures for users and for the operator', async () => {
  const { call } = callerAs(null);
  await expect(call.operator()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(call.user()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
