import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RequiredPermission, requiredPermission } from '../../routers/access/needs.ts';
import {
  collectionProcedure,
  organizationProcedure,
  spaceProcedure,
} from '../../routers/access/procedures.ts';
import { createCallerFactory, router } from '../../routers/base/trpc.ts';
import { toolContext } from '../../server/context.ts';
import { actorOf } from '../helpers/actor.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The base procedures, declaring this permission instead of their own. */
const declaring = (need: RequiredPermission | undefined) => {
  const meta = { need } as { need: RequiredPermission };
  return router({
    organization: organizationProcedure('view')
      .meta(meta)
      .query(() => 'done'),
    collection: collectionProcedure('view')
      .meta(meta)
      .query(() => 'done'),
    space: spaceProcedure('view')
      .meta(meta)
      .query(() => 'done'),
  });
};

test('base procedures enforce the permission that is declared in their meta', async () => {
  const { build, runtime } = service;
  const { id: organizationId, admin } = await build.organization();
  const reader = await build.member(organizationId, 'read');
  const collectionId = (await service.as(admin.token).post(`/orgs/${organizationId}/collections`, {})).body
    .id;
  const spaceId = (await service.as(admin.token).post(`/orgs/${organizationId}/spaces`, {})).body.id;
  const actor = actorOf(reader.id, 'read');
  const callerOf = (need: RequiredPermission | undefined) =>
    createCallerFactory(declaring(need))(toolContext(runtime.database, runtime.services, actor));
  const calls = {
    organization: (need?: RequiredPermission) => callerOf(need).organization({ organizationId }),
    collection: (need?: RequiredPermission) => callerOf(need).collection({ collectionId }),
    space: (need?: RequiredPermission) => callerOf(need).space({ spaceId }),
  };
  for (const on of ['organization', 'collection', 'space'] as const) {
    expect(await calls[on](requiredPermission(on, 'view'))).toBe('done');
    await expect(calls[on](requiredPermission(on, 'admin'))).rejects.toThrow(/admin/);
    // A procedure that declares no permission on this kind of object fails.
    await expect(calls[on]()).rejects.toThrow('declares no need');
    await expect(calls[on](requiredPermission('team', 'view'))).rejects.toThrow('declares no need');
  }
});
