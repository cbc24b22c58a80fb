import type { AnyProcedure } from '@trpc/server';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { appRouter, createCaller } from '../../routers/index.ts';
import { paging } from '../../routers/sql/pagination.ts';
import { toolContext } from '../../server/context.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { call, idsFor } from './calls.ts';
import { filtersOf, lists } from './filters.ts';
import { type Ids, inputOf } from './inputs.ts';
import { type Operation, operatorProcedures, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let here: World;
let there: World;
let both: Client;
beforeAll(async () => {
  service = await startTestService();
  here = await buildWorld(service, { title: 'Here' });
  there = await buildWorld(service, { title: 'There' });
  const person = await service.build.member(here.ids.organizationId as string, 'admin');
  await service.build.join(there.ids.organizationId as string, person.id, 'admin');
  both = service.as(person.token);
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

const isList = (shape: Record<string, unknown>) => 'page' in shape && 'limit' in shape;

/** The purpose for which a list's cursors are signed; cursors for any other purpose are rejected. */
async function cursorPurposeOf(work: () => Promise<unknown>): Promise<string> {
  const verify = vi.spyOn(service.runtime.services.signer, 'verify');
  await work();
  const purposes = verify.mock.calls.map(([purpose]) => purpose);
  verify.mockRestore();
  expect(purposes).toEqual([expect.stringMatching(/^cursor:/)]);
  return purposes[0] as string;
}

const NO_CURSOR = 'W10.AAAAAAAAAAAAAAAAAAAAAA';

const purposeOf = (client: Client, list: Operation, ids: Ids, input: Record<string, unknown> = {}) =>
  cursorPurposeOf(async () => {
    const { minimal } = inputOf(list, ids);
    const response = await call(client, list, ids, { ...minimal, ...input, page: NO_CURSOR });
    expect(response.status, JSON.stringify(response.body)).toBe(400);
  });

const filters = lists.flatMap((list) =>
  filtersOf(list).map(([name, values]) => [`${list.method} ${list.path}`, name, list, values] as const),
);

/** Another object of the same kind with the same parent. */
const OTHERS: Record<string, (world: World) => string | undefined> = {
  pageId: ({ ids }) => ids.groupId,
  revisionId: ({ ids }) => ids.latestRevisionId,
  userId: ({ owner }) => owner.id,
};
const members = lists.flatMap((list) =>
  list.pathParameters
    .filter((parameter) => parameter in OTHERS)
    .map((parameter) => [`${list.method} ${list.path}`, parameter, list] as const),
);

describe('a cursor is valid for one list only', () => {
  test('a cursor is valid for the list of one procedure only', async () => {
    const purposes = new Set<string>();
    for (const list of lists) purposes.add(await purposeOf(both, list, idsFor(list, here)));
    expect(lists.length).toBeGreaterThan(20);
    expect(purposes.size).toBe(lists.length);
  });

  test.for(titled(lists))('%s: a cursor is valid for one caller, whatever the limit', async ([, list]) => {
    const ids = idsFor(list, here);
    const mine = await purposeOf(both, list, ids, { limit: 1 });
    expect(await purposeOf(both, list, ids, { limit: 2 })).toBe(mine);
    expect(await purposeOf(here.admin, list, ids, { limit: 1 })).not.toBe(mine);
  });

  const placed = lists.filter(({ pathParameters }) => pathParameters.length > 0);
  test.for(titled(placed))('%s: a cursor is valid for one parent object', async ([, list]) => {
    const mine = await purposeOf(both, list, idsFor(list, here));
    expect(await purposeOf(both, list, idsFor(list, there))).not.toBe(mine);
  });

  test.for(members)('%s: a cursor is valid for one %s', async ([, parameter, list]) => {
    const ids = idsFor(list, here);
    const other = { ...ids, [parameter]: OTHERS[parameter]?.(here) as string };
    expect(await purposeOf(both, list, other)).not.toBe(await purposeOf(both, list, ids));
  });

  test.for(filters)('%s: a cursor is valid for one value of %s', async ([, name, list, values]) => {
    const purposes = new Set<string>();
    for (const value of values)
      purposes.add(await purposeOf(both, list, idsFor(list, here), { [name]: value }));
    expect(values.length).toBeGreaterThan(1);
    expect(purposes.size).toBe(values.length);
  });
});

describe('a filter that takes several values', () => {
  const several = lists.flatMap((list) =>
    Object.keys(list.shape)
      .filter((name) => list.shape[name]?.safeParse([]).success)
      .map((name) => [list.name, name, list] as const),
  );
  // Over REST, an array has at minimal one value.
  test.for(several)('%s: no value for %s over tRPC matches nothing', async ([procedure, name, list]) => {
    const ids = idsFor(list, here);
    const given = Object.fromEntries(list.pathParameters.map((parameter) => [parameter, ids[parameter]]));
    const input = encodeURIComponent(JSON.stringify({ json: { ...given, [name]: [] } }));
    const { statusCode, body } = await service.app.inject({
      url: `/trpc/${procedure}?input=${input}`,
      headers: { authorization: `Bearer ${here.owner.token}` },
    });
    expect(statusCode, body).toBe(200);
    expect(JSON.parse(body).result.data.json).toMatchObject({ count: 0, items: [] });
  });

  test('every filter that takes several values is tested', () => expect(several.length).toBeGreaterThan(2));
});

type Procedure = (input: object) => Promise<unknown>;

describe("the operator's lists", () => {
  const all = appRouter._def.procedures as unknown as Record<string, AnyProcedure>;
  const lists = operatorProcedures.flatMap((name) => {
    const shape = Object.assign(
      {},
      ...(all[name]?._def.inputs ?? []).map((input) => (input as z.ZodObject).shape),
    );
    return isList(shape) ? [{ name, filters: Object.keys(shape).filter((key) => !(key in paging)) }] : [];
  });

  test("the cursors of the operator's lists are valid for one procedure and filter only", async () => {
    const { database, services } = service.runtime;
    const caller = createCaller(toolContext(database, services));
    const purposes: string[] = [];
    for (const { name, filters } of lists) {
      const [, feature = '', procedure = ''] = name.split('.');
      const list = (caller.installation as unknown as Record<string, Record<string, Procedure>>)[feature]?.[
        procedure
      ];
      // An organization must exist.
      const inputs =
        filters.length === 0 ? [{}] : ['Here', 'There'].map((title) => ({ [filters[0] as string]: title }));
      for (const input of inputs)
        purposes.push(
          await cursorPurposeOf(() => expect(list?.({ ...input, page: NO_CURSOR })).rejects.toThrow('page')),
        );
    }
    expect(lists.map(({ filters }) => filters.length).sort()).toEqual([0, 0, 1, 1, 1, 1]);
    expect(new Set(purposes).size).toBe(purposes.length);
  });
});
