import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { documentedStatuses, type Operation, operations, titled } from './operations.ts';
import {
  below,
  buildWorld,
  call,
  idsFor,
  idsForOwner,
  needOf,
  type PeopleByLevel,
  peopleByLevel,
  type World,
} from './world.ts';

let service: TestService;
let world: World;
let people: PeopleByLevel;
/** An admin of another organization. */
let stranger: Client;
/** Of all of these, to which each test goes back. */
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

/** What a caller who must not know of a thing is told. */
const absent = ({ meta }: Operation) => (meta.success === 'removal' ? 204 : 404);

/** What is there for those alone who may do this: a deleted space. */
const HIDDEN = ['spaces.restore'];

/** The answer to a caller one level below the need: 403 to whoever may see the object, 404 to others. */
function denial(operation: Operation): number {
  const need = needOf(operation);
  const inOrganization = need?.on === 'organization' || need?.on === 'parent';
  const isSeen = inOrganization || (need?.level !== 'read' && !HIDDEN.includes(operation.name));
  return isSeen ? 403 : absent(operation);
}

/** What is for those who are not members of the organization yet. */
const FOR_OTHERS = ['invites.accept', 'joining.join', 'auth.acceptInvitation'];

test('every operation on an object says what it needs', () => {
  const silent = guarded.filter(
    (operation) =>
      OBJECTS.includes(operation.pathParameters[0] as string) &&
      !needOf(operation) &&
      !FOR_OTHERS.includes(operation.name),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('the document says 403 of exactly those reads that are refused to somebody who may see the object', () => {
  const reads = guarded.filter(({ method }) => method === 'GET');
  const refused = reads.filter(
    (operation) => below(needOf(operation)?.level ?? null) !== undefined && denial(operation) === 403,
  );
  const documented = reads.filter((operation) => documentedStatuses(operation).includes('403'));
  expect(documented.map(({ name }) => name)).toEqual(refused.map(({ name }) => name));
  expect(documented.length).toBeGreaterThan(0);
});

describe('a user of another organization finds nothing', () => {
  const inside = guarded.filter(
    ({ name, pathParameters }) => pathParameters.length > 0 && !FOR_OTHERS.includes(name),
  );
  test.for(titled(inside))('%s', async ([, operation]) => {
    const { status, body } = await call(stranger, operation, idsFor(operation, world));
    expect(status, JSON.stringify(body)).toBe(absent(operation));
    expect(await snapshot.restore()).toEqual([]);
  });
});

describe('a member with less than the level that is needed is refused', () => {
  const lesser = needing.filter((operation) => below(needOf(operation)?.level ?? null) !== undefined);
  test.for(titled(lesser))('%s', async ([, operation]) => {
    const need = needOf(operation) as NonNullable<ReturnType<typeof needOf>>;
    const person = people(need, below(need.level) ?? null);
    const { status, body } = await call(person, operation, idsFor(operation, world));
    expect(status, JSON.stringify(body)).toBe(denial(operation));
    expect(await snapshot.restore()).toEqual([]);
  });
});

/** What takes a session, or what a browser keeps and a device signs; `test/auth/factors.test.ts` does it. */
const IN_BROWSERS = [
  'passkeySignIn.signIn',
  'pendingSecondFactor.getPending',
  'pendingSecondFactor.setUpPending',
  'pendingSecondFactor.prove',
  'secondFactor.setUp',
  'secondFactor.confirm',
  'secondFactor.renewRecoveryCodes',
  'secondFactor.remove',
  'passkeys.options',
  'passkeys.create',
];

/** Without this, a row above may pass because its ids, or its input, are wrong. */
describe('with the level that is needed, and the same ids and input, it is done', () => {
  const done = operations.filter(({ name }) => !IN_BROWSERS.includes(name));
  test.for(titled(done))('%s', async ([, operation]) => {
    const need = needOf(operation);
    const person = need ? people(need, need.level) : world.admin;
    const { status, body } = await call(person, operation, await idsForOwner(person, operation, world));
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    if (operation.meta.success === 'removal') expect(status).toBe(205);
  });
});
