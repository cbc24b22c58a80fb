import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../helpers/service.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Ids, idOf, inputOf } from './inputs.ts';
import { isOurs, type Operation, operations, published, titled } from './operations.ts';
import { buildWorld, call, idsFor, type World } from './world.ts';

/** What a client written against the published document relies on: real answers have the shapes it promises. */
const known = operations.filter((operation) => !isOurs(operation));

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
});
afterAll(() => service.close());

/** What clients read as a list, whatever the document says. */
const LIST = { type: 'array', items: { type: 'object' } };

/** Objects may have more than the document knows, so that one alternative alone need not match. */
const open = JSON.parse(
  JSON.stringify(published, (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : key === 'filesystem' ? LIST : value,
  ).replaceAll('"oneOf":', '"anyOf":'),
) as typeof published;

const FORMATS = Object.fromEntries(
  ['date-time', 'uri', 'email', 'emoji', 'uuid', 'double', 'float', 'int32'].map((name) => [
    name,
    () => true,
  ]),
);

interface ResponseValidator {
  validateResponse(
    status: number,
    body: unknown,
  ): { errors: { path: string; message: string }[] } | undefined;
}
// A common-js module, whose default export the loaders wrap differently.
const require = createRequire(import.meta.url);
const { default: Validator } = require('openapi-response-validator') as {
  default: new (options: object) => ResponseValidator;
};

/** The components that a part of the document refers to; the validator would compile all of them each time. */
function reachedBy(part: object, found: typeof open.components = {}): typeof open.components {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    const component = open.components[kind]?.[name];
    if (!component || found[kind]?.[name]) continue;
    found[kind] = { ...found[kind], [name]: component };
    reachedBy(component, found);
  }
  return found;
}

/** Every place where an answer is not what the published document says. */
function differences({ method, path }: Operation, { status, body }: Answer): string[] {
  const responses = open.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const check = new Validator({ responses, components: reachedBy(responses), customFormats: FORMATS });
  const { errors = [] } = check.validateResponse(status, body ?? null) ?? {};
  return [...new Set(errors.map((error) => `${error.path}: ${error.message}`))];
}

test('an answer that lacks something, or has something else, is told apart', async () => {
  const operation = known.find(({ path, method }) => method === 'GET' && path === '/user') as Operation;
  const { body } = await world.admin.get('/user');
  expect(differences(operation, { status: 200, headers: {}, body })).toEqual([]);
  for (const other of [
    { ...body, id: undefined },
    { ...body, displayName: 1 },
    { ...body, object: 'team' },
  ]) {
    const answer = { status: 200, headers: {}, body: JSON.parse(JSON.stringify(other)) };
    expect(differences(operation, answer)).not.toEqual([]);
  }
});

describe('what is read has the published shape', () => {
  const read = async (operation: Operation, ids: Ids) => {
    const answer = await call(world.admin, operation, ids);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return differences(operation, answer);
  };

  test.for(titled(known.filter(({ method }) => method === 'GET')))('%s', async ([, operation]) => {
    const revisionId = idOf(world.ids, 'latestRevisionId');
    expect(await read(operation, { ...idsFor(operation, world), revisionId })).toEqual([]);
  });

  test('a revision made by a merge', async () => {
    const operation = known.find(({ name }) => name === 'revisions.get') as Operation;
    expect(await read(operation, idsFor(operation, world))).toEqual([]);
  });
});

/** What is sent beyond the least. */
const BODIES: Record<string, object> = {
  updateOrganizationById: { title: 'Renamed' },
  updateMemberInOrganizationById: { role: 'create' },
  updateTeamInOrganizationById: { title: 'Authors' },
  updateCollectionById: { title: 'Renamed', description: 'All of them' },
  updateSpaceById: { title: 'Renamed', defaultLevel: 'read' },
  createChangeRequest: { subject: 'Next' },
  updateChangeRequestById: { subject: 'Renamed', status: 'open' },
};

describe('what is created, changed and removed has the published shape', () => {
  test.for(titled(known.filter(({ method }) => method !== 'GET')))('%s', async ([, operation]) => {
    const own = await buildWorld(service);
    const ids = idsFor(operation, own);
    const body = { ...inputOf(operation, ids).least, ...BODIES[operation.meta.openapi?.operationId ?? ''] };
    const answer = await call(own.admin, operation, ids, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    expect(differences(operation, answer)).toEqual([]);
  });

  test('a merge without conflicts has the published shape', async () => {
    const operation = known.find(({ name }) => name === 'changeRequests.merge') as Operation;
    const { admin, ids } = await buildWorld(service);
    const at = `/spaces/${ids.spaceId}/change-requests`;
    await admin.post(`${at}/${ids.changeRequestId}/conflicts/resolve`, { take: 'ours' });
    const answer = await call(admin, operation, ids);
    expect(answer.body.result).toBe('merge');
    expect(differences(operation, answer)).toEqual([]);
  });
});
