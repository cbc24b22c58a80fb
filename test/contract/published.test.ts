import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { call, idsFor } from './calls.ts';
import { differences } from './differences.ts';
import { type Ids, idOf, inputOf } from './inputs.ts';
import { CLIENTS, type Operation, operationsOf, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let world: World;
let snapshot: Snapshot;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  snapshot = await takeSnapshot(service);
});
afterEach(() => snapshot.restore());
afterAll(() => service.close());

/** Additional input besides the minimal one. */
const BODIES: Record<string, object> = {
  updateOrganizationById: { title: 'Renamed' },
  updateMemberInOrganizationById: { role: 'create' },
  updateTeamInOrganizationById: { title: 'Authors' },
  updateCollectionById: { title: 'Renamed', description: 'All of them' },
  updateSpaceById: { title: 'Renamed', defaultLevel: 'read' },
  createChangeRequest: { subject: 'Next' },
  updateChangeRequestById: { subject: 'Renamed', status: 'open' },
};

/** The operations that a published client knows. */
const known = [...new Set(CLIENTS.flatMap(operationsOf))];

/** How a response differs from what the published clients that know the operation expect, by the version of the client. */
const differencesByClient = (operation: Operation, response: ApiResponse): Record<string, string[]> =>
  Object.fromEntries(
    CLIENTS.filter((client) => operationsOf(client).includes(operation))
      .map((client) => [client.version, differences(operation, response, client)] as const)
      .filter(([, found]) => found.length > 0),
  );

test('a response with missing or different fields is detected, with each published client', async () => {
  const operation = known.find(({ path, method }) => method === 'GET' && path === '/user') as Operation;
  const { body } = await world.admin.get('/user');
  expect(differencesByClient(operation, { status: 200, headers: {}, body })).toEqual({});
  for (const other of [
    { ...body, id: undefined },
    { ...body, displayName: 1 },
    { ...body, object: 'team' },
  ]) {
    const response = { status: 200, headers: {}, body: JSON.parse(JSON.stringify(other)) };
    const versions = Object.keys(differencesByClient(operation, response));
    expect(versions).toEqual(CLIENTS.map(({ version }) => version));
  }
});

/** Responses must have the shapes that clients written against a published document rely on. */
describe('responses to reads have the published shape', () => {
  const read = async (operation: Operation, ids: Ids) => {
    const response = await call(world.admin, operation, ids);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    return differencesByClient(operation, response);
  };

  test.for(titled(known.filter(({ method }) => method === 'GET')))('%s', async ([, operation]) => {
    const revisionId = idOf(world.ids, 'latestRevisionId');
    expect(await read(operation, { ...idsFor(operation, world), revisionId })).toEqual({});
  });

  test('a revision made by a merge', async () => {
    const operation = known.find(({ name }) => name === 'revisions.get') as Operation;
    expect(await read(operation, idsFor(operation, world))).toEqual({});
  });
});

describe('responses to changes have the published shape', () => {
  test.for(titled(known.filter(({ method }) => method !== 'GET')))('%s', async ([, operation]) => {
    const ids = idsFor(operation, world);
    const body = {
      ...inputOf(operation, ids).minimal,
      ...BODIES[operation.meta.openapi?.operationId ?? ''],
    };
    const response = await call(world.admin, operation, ids, body);
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
    expect(differencesByClient(operation, response)).toEqual({});
  });

  test('the response to a merge without conflicts has the published shape', async () => {
    const operation = known.find(({ name }) => name === 'changeRequests.merge') as Operation;
    const { admin, ids } = world;
    const at = `/spaces/${ids.spaceId}/change-requests`;
    await admin.post(`${at}/${ids.changeRequestId}/conflicts/resolve`, { take: 'ours' });
    const response = await call(admin, operation, ids);
    expect(response.body.result).toBe('merge');
    expect(differencesByClient(operation, response)).toEqual({});
  });
});
