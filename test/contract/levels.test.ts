import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { call, idsFor, idsForOwner } from './calls.ts';
import { documentedStatuses, type Operation, operations, titled } from './operations.ts';
import { needOf, nextWeakerLevel, type PeopleByLevel, peopleByLevel } from './people-by-level.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let world: World;
let people: PeopleByLevel;
/** An admin of another organization. */
let stranger: Client;
/** The state of the database, which is restored after each test. */
let snapshot: Snapshot;
beforeAll(async () => {
  service = await startTestService({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'docs@example.com' });
  world = await buildWorld(service);
  people = await peopleByLevel(service, world, needing);
  stranger = service.as((await service.build.organization()).admin.token);
  snapshot = await takeSnapshot(service);
});
afterEach(() => snapshot.restore());
afterAll(() => service.close());

const guarded = operations.filter(({ meta }) => meta.openapi?.protect !== false);
const needing = guarded.filter(needOf);
const OBJECTS = ['organizationId', 'collectionId', 'spaceId'];

/** The status for a caller who may not know that an object exists. */
const notFoundStatus = ({ meta }: Operation) => (meta.success === 'removal' ? 204 : 404);

/** Operations on objects that are visible only to callers with the required level, such as deleted spaces. */
const HIDDEN = ['spaces.restore'];

/** The status for a caller one level below the required one: 403 if they may see the object, otherwise 404. */
function denial(operation: Operation): number {
  const need = needOf(operation);
  const inOrganization = need?.on === 'organization' || need?.on === 'parent';
  const isSeen = inOrganization || (need?.level !== 'read' && !HIDDEN.includes(operation.name));
  return isSeen ? 403 : notFoundStatus(operation);
}

/** Operations for callers who are not members of the organization yet. */
const FOR_NON_MEMBERS = ['invites.accept', 'joining.join', 'auth.acceptInvite'];

test('every operation on an object declares the level that it requires', () => {
  const undeclared = guarded.filter(
    (operation) =>
      OBJECTS.includes(operation.pathParameters[0] as string) &&
      !needOf(operation) &&
      !FOR_NON_MEMBERS.includes(operation.name),
  );
  expect(undeclared.map(({ name }) => name)).toEqual([]);
});

test('the OpenAPI document lists 403 for exactly those reads that are denied to callers who may see the object', () => {
  const reads = guarded.filter(({ method }) => method === 'GET');
  const refused = reads.filter(
    (operation) =>
      nextWeakerLevel(needOf(operation)?.level ?? null) !== undefined && denial(operation) === 403,
  );
  const documented = reads.filter((operation) => documentedStatuses(operation).includes('403'));
  expect(documented.map(({ name }) => name)).toEqual(refused.map(({ name }) => name));
  expect(documented.length).toBeGreaterThan(0);
});

describe('a user of another organization does not find any object', () => {
  const inside = guarded.filter(
    ({ name, pathParameters }) => pathParameters.length > 0 && !FOR_NON_MEMBERS.includes(name),
  );
  test.for(titled(inside))('%s', async ([, operation]) => {
    const { status, body } = await call(stranger, operation, idsFor(operation, world));
    expect(status, JSON.stringify(body)).toBe(notFoundStatus(operation));
    expect(await snapshot.restore()).toEqual([]);
  });
});

describe('a member with less than the required level is denied', () => {
  const lesser = needing.filter(
    (operation) => nextWeakerLevel(needOf(operation)?.level ?? null) !== undefined,
  );
  test.for(titled(lesser))('%s', async ([, operation]) => {
    const need = needOf(operation) as NonNullable<ReturnType<typeof needOf>>;
    const person = people(need, nextWeakerLevel(need.level) ?? null);
    const { status, body } = await call(person, operation, idsFor(operation, world));
    expect(status, JSON.stringify(body)).toBe(denial(operation));
    expect(await snapshot.restore()).toEqual([]);
  });
});

/** Operations that need a session, a cookie or a passkey, which the tests in `test/auth` cover. */
const BROWSER_ONLY = [
  'passkeySignIn.signIn',
  'pendingSecondFactor.get',
  'pendingSecondFactor.setUp',
  'pendingSecondFactor.signIn',
  'secondFactor.setUp',
  'secondFactor.confirm',
  'secondFactor.renewRecoveryCodes',
  'secondFactor.remove',
  'passkeys.options',
  'passkeys.create',
];

/** Ensures that the tests above do not pass because ids or input are invalid. */
describe('with the required level, and the same ids and input, the operation succeeds', () => {
  const done = operations.filter(({ name }) => !BROWSER_ONLY.includes(name));
  test.for(titled(done))('%s', async ([, operation]) => {
    const need = needOf(operation);
    const person = need ? people(need, need.level) : world.admin;
    const { status, body } = await call(person, operation, await idsForOwner(person, operation, world));
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    if (operation.meta.success === 'removal') expect(status).toBe(205);
  });
});
