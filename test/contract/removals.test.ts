import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { call, idsFor } from './calls.ts';
import { operations, titled } from './operations.ts';
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

describe('of several concurrent removals of the same object, exactly one reports that it removed it', () => {
  const removals = operations.filter(({ meta }) => meta.success === 'removal');
  test.for(titled(removals))('%s', async ([, operation]) => {
    const ids = idsFor(operation, world);
    const responses = await Promise.all(Array.from({ length: 4 }, () => call(world.admin, operation, ids)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 204, 204, 205]);
  });
});
