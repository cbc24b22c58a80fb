import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { call, idsFor } from './calls.ts';
import { inputOf } from './inputs.ts';
import { type Operation, operations, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

/** Errors about a request name the field at fault, in the terms of the API. */
let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
});
afterAll(() => service.close());

/** Terms of libraries and of the programming language, which mean nothing to callers. */
const JARGON =
  /undefined|NaN|Infinity|nvalid (?:input|option|value|string|URL)|expected|received|Too \w+:|Unrecog/i;

// What gets the whole body is no field of it.
const bodyFieldsOf = ({ shape, pathParameters, meta }: Operation) =>
  Object.keys(shape).filter((name) => !pathParameters.includes(name) && name !== meta.body);
const withBody = operations.filter(
  (operation) => !['GET', 'DELETE'].includes(operation.method) && bodyFieldsOf(operation).length > 0,
);

interface ErrorBody {
  error: { message: string; details: { path: string; message: string }[] };
}

async function errorOf(operation: Operation, input: unknown): Promise<ErrorBody['error'] | undefined> {
  const ids = idsFor(operation, world);
  const { status, body } = await call(world.admin, operation, ids, input as Record<string, unknown>);
  if (status < 300) return undefined;
  expect(status, JSON.stringify(body)).toBe(400);
  return (body as ErrorBody).error;
}

describe('an error about a field of the wrong type names the field, in plain words', () => {
  test.for(titled(withBody))('%s', async ([, operation]) => {
    const { minimal } = inputOf(operation, idsFor(operation, world));
    for (const name of bodyFieldsOf(operation)) {
      // A type that no field has.
      const error = await errorOf(operation, { ...minimal, [name]: [[[0]]] });
      expect(error?.message, `with a wrong ${name}`).toMatch(/^[A-Z].*\.$/);
      expect(error?.message).not.toMatch(JARGON);
      const places = error?.details.map(({ path }) => path.split('.')[0]);
      expect(new Set(places)).toEqual(new Set([name]));
      for (const { message } of error?.details ?? []) expect(message).not.toMatch(JARGON);
    }
  });
});

describe('an error about a missing field names the field', () => {
  test.for(titled(withBody))('%s', async ([, operation]) => {
    const { minimal } = inputOf(operation, idsFor(operation, world));
    for (const name of Object.keys(minimal)) {
      const { [name]: _, ...rest } = minimal;
      if (operation.shape[name]?.safeParse(undefined).success) continue;
      const error = await errorOf(operation, rest);
      expect(error?.details.map(({ path }) => path)).toEqual([name]);
      expect(error?.details[0]?.message).not.toMatch(JARGON);
    }
  });
});

test('an error does not repeat a long request', async () => {
  const long = 'x'.repeat(200_000);
  const operation = operations.find(({ name }) => name === 'spacePermissions.invite') as Operation;
  const ids = idsFor(operation, world);
  for (const input of [
    { role: 'read', users: [long] },
    { role: 'read', users: Array(500).fill(1) },
    { role: 'read', users: [long], teams: { [long]: 1 } },
  ]) {
    const { status, body } = await call(world.admin, operation, ids, input);
    expect([400, 404]).toContain(status);
    expect(JSON.stringify(body).length).toBeLessThan(10_000);
  }
});
