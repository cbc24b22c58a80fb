import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse, Client } from '../helpers/service.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { call, idsFor } from './calls.ts';
import { type IdField, type Ids, idOf, inputOf } from './inputs.ts';
import { type Operation, operations } from './operations.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let here: World;
let there: World;
/** An admin of both organizations, whose access depends only on where an object belongs. */
let both: Client;
let snapshot: Snapshot;
beforeAll(async () => {
  service = await startTestService();
  here = await buildWorld(service, { title: 'Here' });
  there = await buildWorld(service, { title: 'There' });
  const person = await service.build.member(idOf(here.ids, 'organizationId'), 'admin');
  await service.build.join(idOf(there.ids, 'organizationId'), person.id, 'admin');
  both = service.as(person.token);
  snapshot = await takeSnapshot(service);
});
afterEach(() => snapshot.restore());
afterAll(() => service.close());

/** Placeholder ids, for code that needs only the kinds of ids and makes no calls. */
const anyIds: Ids = new Proxy({}, { get: (_, kind) => String(kind) });

const guarded = operations.filter(({ meta }) => meta.openapi?.protect !== false);
const title = ({ method, path }: Operation) => `${method} ${path}`;

/** Operations whose path parameters are ids of existing objects, rather than names of new ones or secrets. */
const named = guarded.filter(
  ({ name }) => !['specs.put', 'customHostnames.set', 'auth.acceptInvite'].includes(name),
);

/** Path parameters after the first, whose objects must belong to the object before them. */
const children = named.flatMap((operation) =>
  operation.pathParameters.slice(1).map((parameter) => [title(operation), parameter, operation] as const),
);
const parameters = named.flatMap((operation) =>
  operation.pathParameters.map((parameter) => [title(operation), parameter, operation] as const),
);
const fields = guarded.flatMap((operation) =>
  inputOf(operation, anyIds).fields.map(
    (field, index) => [title(operation), field.path, operation, index] as const,
  ),
);

/** Fields that may refer to anything, because references are resolved for each reader. */
const ANY_REFERENCE = /\.(target|to|cover\.ref|cover\.refDark|computed\.dependencies\.spec\.ref)\.\w+$/;

/** Fields without a valid object in the world: a space has no conflicts, and a template is created from a file. */
const NO_VALID_OBJECT = [
  /^edit\.space changes\.conflict$/,
  /^changeRequests\.create template\.params\.contentRefs\.(?!file$)/,
];

/** Fields of operations that succeed if there is nothing to do, such as removing a user who is not in the team. */
const SUCCEED_ANYWAY = ['teamMembers.update remove'];

/** Whether a successful operation found nothing: it removed nothing, or returned an empty list. */
function foundNothing({ meta }: Operation, { status, body }: ApiResponse): boolean {
  if (status === 404 || status === 400) return true;
  if (Array.isArray(body)) return body.length === 0;
  return meta.success === 'removal' ? status === 204 : body?.count === 0;
}

async function expectNotFound(
  operation: Operation,
  send: () => Promise<ApiResponse>,
  succeedsAnyway = false,
): Promise<void> {
  const response = await send();
  const message = `${response.status}: ${JSON.stringify(response.body)}`;
  if (succeedsAnyway) expect(response.status, message).toBe(204);
  else expect(foundNothing(operation, response), message).toBe(true);
  if (operation.method !== 'GET') expect(await snapshot.restore()).toEqual([]);
}

describe('an id of another organization in a path is not found by non-members', () => {
  test.for(parameters)('%s with a foreign %s', async ([, parameter, operation]) => {
    const ids = { ...idsFor(operation, here), [parameter]: idOf(there.ids, parameter) };
    await expectNotFound(operation, () => call(here.admin, operation, ids));
  });
});

describe('an object that belongs to another parent is not found, even by callers who may see both', () => {
  test.for(children)('%s with a foreign %s', async ([, parameter, operation]) => {
    const ids = { ...idsFor(operation, here), [parameter]: idOf(there.ids, parameter) };
    await expectNotFound(operation, () => call(both, operation, ids));
  });
});

const fieldOf = (operation: Operation, ids: Ids, index: number) =>
  inputOf(operation, ids).fields[index] as IdField;

describe('an id of another organization in a field is not found', () => {
  const local = fields.filter(([, path]) => !ANY_REFERENCE.test(path));
  test.for(local)('%s with a foreign %s', async ([, path, operation, index]) => {
    const ids = idsFor(operation, here);
    const { kind, withId } = fieldOf(operation, ids, index);
    const succeedsAnyway = SUCCEED_ANYWAY.includes(`${operation.name} ${path}`);
    // An admin of both may transfer objects between them.
    for (const caller of kind === 'destinationId' ? [here.admin] : [here.admin, both]) {
      const foreign = () => call(caller, operation, ids, withId(idOf(there.ids, kind)));
      await expectNotFound(operation, foreign, succeedsAnyway);
    }
  });
});

/** Ensures that the tests above do not pass because the rest of the input is invalid. */
describe('an id of the same organization in the same field is found', () => {
  const found = fields.filter(
    ([, path, { name }]) =>
      !ANY_REFERENCE.test(path) && !NO_VALID_OBJECT.some((field) => field.test(`${name} ${path}`)),
  );
  test.for(found)('%s with %s', async ([, , operation, index]) => {
    const ids = idsFor(operation, here);
    const { kind, withId } = fieldOf(operation, ids, index);
    const { status, body } = await call(here.admin, operation, ids, withId(idOf(here.ids, kind)));
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  });
});
