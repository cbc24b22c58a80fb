import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../server/http/openapi.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { call, idsFor } from './calls.ts';
import { type Ids, idKindAt, idOf } from './inputs.ts';
import { type Operation, operations, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let world: World;
let snapshot: Snapshot;
beforeAll(async () => {
  service = await startTestService({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'docs@example.com' });
  world = await buildWorld(service);
  snapshot = await takeSnapshot(service);
});
afterEach(() => snapshot.restore());
afterAll(() => service.close());

const { paths } = openApiDocument('http://docs.test');

const exampleOf = ({ method, path }: Operation): unknown =>
  paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.example;

/** The id in examples. */
const EXAMPLE_ID = '01k8x3m5t7v9w1y3z5b7';

/** An example with ids of the world. */
function withIds(value: unknown, path: readonly string[], operation: Operation, ids: Ids): unknown {
  if (value === EXAMPLE_ID) {
    const kind = idKindAt(operation, path);
    return kind === undefined || kind === 'text' ? value : idOf(ids, kind);
  }
  if (Array.isArray(value)) return value.map((item) => withIds(item, path, operation, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withIds(inner, [...path, name], operation, ids)]),
  );
}

/** Examples cannot have what only one installation, browser or mail has: a password, a secret, or a passkey. */
const REFUSED: Readonly<Record<string, number>> = {
  'urls.resolvePublished': 404,
  'auth.signIn': 401,
  'auth.setPassword': 404,
  'auth.changePassword': 400,
  'auth.verifyEmail': 404,
  'auth.createAccount': 404,
  'passkeySignIn.signIn': 401,
  'pendingSecondFactor.setUp': 404,
  'pendingSecondFactor.signIn': 404,
  'secondFactor.setUp': 403,
  'secondFactor.confirm': 403,
  'secondFactor.renewRecoveryCodes': 403,
  'secondFactor.remove': 403,
  'passkeys.options': 403,
  'passkeys.create': 403,
};

const described = operations.filter((operation) => exampleOf(operation) !== undefined);

test.for(titled(described))('the example of %s is accepted, with ids that exist', async ([, operation]) => {
  const ids = idsFor(operation, world);
  const { body: name } = operation.meta;
  const example = withIds(exampleOf(operation), name === undefined ? [] : [name], operation, ids);
  const input = name === undefined ? (example as Record<string, unknown>) : { [name]: example };
  const { status, body } = await call(world.admin, operation, ids, input);
  const refused = REFUSED[operation.name];
  const text = JSON.stringify({ body, example });
  if (refused === undefined) expect(status, text).toBeLessThan(300);
  else expect(status, text).toBe(refused);
});
