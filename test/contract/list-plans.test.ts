import type { AnyProcedure } from '@trpc/server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { appRouter, createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { idsFor } from './calls.ts';
import { fillWorld, ROWS } from './filled-world.ts';
import { filtersOf, inMemory, lists, ranked } from './filters.ts';
import { type Ids, inputOf } from './inputs.ts';
import { type Operation, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

// Filling the tables takes long on a busy machine.
vi.setConfig({ hookTimeout: 600_000, testTimeout: 120_000 });

const LIMIT = 5;

/** Maximum number of rows that a page may read or sort: a few for each row that it returns. */
const MAX_READ = 100 * LIMIT;

/** Lists or filters whose pages may read more, in the order of an index. */
const READS_MORE: Readonly<Record<string, string>> = {
  'collectionPermissions.list': 'levels follow from all grants that reach a content',
  'spacePermissions.list': 'levels follow from all grants that reach a content',
  'sitePermissions.list': 'levels follow from all grants that reach a content',
  'issuesClusters.list status': 'follows from the change requests that name it',
  'members.list search': 'a part of a text, which is looked for until the page is full',
  'members.listTeams title': 'a part of a text',
  'siteRedirects.list search': 'a part of a text',
  'sites.list title': 'a part of a text',
  'teams.list title': 'a part of a text',
  'teams.list owner': 'who may manage a team follows from two roles',
};

let service: TestService;
let world: World;
let member: Client;
let planner: pg.Client;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  member = service.as((await service.build.member(world.ids.organizationId as string, 'edit')).token);
  planner = new pg.Client({ connectionString: service.databaseUrl });
  await planner.connect();
  await fillWorld(planner, world);
});
afterAll(async () => {
  await planner.end();
  await service.close();
});

interface Statement {
  text: string;
  values: unknown[];
}

/** Collects the read statements that some work sends to the database. */
async function statementsOf(work: () => Promise<void>): Promise<Statement[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.flatMap((call) => {
      const [given, values = []] = call as unknown as [string | Statement, unknown[]?];
      const sent = typeof given === 'string' ? { text: given, values } : given;
      return /^\s*(select|with)\b/i.test(sent.text) ? [{ text: sent.text, values: sent.values ?? [] }] : [];
    });
  } finally {
    query.mockRestore();
  }
}

interface PlanNode {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

const SUBQUERIES = ['SubPlan', 'InitPlan'];

/** The nodes of a plan, each with its parent, and whether it is in a subquery, such as a count for each row. */
function* nodesOf(
  node: PlanNode,
  parent?: PlanNode,
  above = false,
): Generator<{ node: PlanNode; parent: PlanNode | undefined; inSubquery: boolean }> {
  const inSubquery = above || SUBQUERIES.includes(node['Parent Relationship'] ?? '');
  yield { node, parent, inSubquery };
  for (const part of node.Plans ?? []) yield* nodesOf(part, node, inSubquery);
}

/** The number of rows that a node reads, or for a sort, which may return only the first, that it sorts. */
function rowsReadBy(node: PlanNode): number {
  if (node['Node Type'].endsWith('Sort')) return Math.max(...(node.Plans ?? []).map(rowsReadBy));
  const returned = node['Actual Rows'];
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return node['Actual Loops'] * (returned + removed);
}

const planned = new Map<string, Promise<string[]>>();

/** Returns what is wrong with the plan of a statement. */
function planProblems(statement: Statement, readsMore: boolean): Promise<string[]> {
  const key = JSON.stringify([statement, readsMore]);
  const known = planned.get(key) ?? findPlanProblems(statement, readsMore);
  planned.set(key, known);
  return known;
}

async function findPlanProblems({ text, values }: Statement, readsMore: boolean): Promise<string[]> {
  const { rows } = await planner.query(`explain (analyze, timing off, format json) ${text}`, values);
  const plan: PlanNode = rows[0]['QUERY PLAN'][0].Plan;
  const isCount = plan['Node Type'] === 'Aggregate';
  return [...nodesOf(plan)].flatMap(({ node, parent, inSubquery }) => {
    // Libraries query the catalog.
    if (node['Relation Name']?.startsWith('pg_')) return [];
    const type = node['Node Type'];
    const read = rowsReadBy(node);
    // Counting a list reads all its rows: the database may hash a table to join, but must not read other lists.
    const isHashed = isCount && parent?.['Node Type'] === 'Hash';
    const isProblem =
      (type === 'Seq Scan' && read >= ROWS && !isHashed) ||
      (type.endsWith('Sort') && read > MAX_READ && !isCount && !inSubquery) ||
      (read > MAX_READ && !isCount && !inSubquery && !readsMore);
    const of = [node['Relation Name'], node['Index Name']].filter((name) => name !== undefined);
    return isProblem ? [`${type} of ${of.join(' by ')} reads ${Math.round(read)} rows for ${text}`] : [];
  });
}

type Input = Record<string, unknown>;

/** Number of values tried for each filter: the first ones include rare and common ones. */
const MAX_VALUES = 6;

/** Inputs of a list: none, and each filter with some of its values, with the default status and with all statuses. */
function inputsOf(list: Operation, ids: Ids): Input[] {
  const named = new Map(inputOf(list, ids).fields.map(({ path, kind }) => [path, ids[kind]]));
  const hasAll = list.shape.status?.safeParse('all').success;
  const inputs = filtersOf(list).flatMap(([name, values]) =>
    (named.has(name) ? [named.get(name)] : values.slice(0, MAX_VALUES)).flatMap((value): Input[] => [
      { [name]: value },
      ...(hasAll && name !== 'status' ? [{ status: 'all', [name]: value }] : []),
    ]),
  );
  return [{}, ...inputs];
}

/** Reads a page of a list, and with `next` the following one. */
async function read(client: Client, list: Operation, ids: Ids, input: Input, next: boolean) {
  const path = list.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] as string));
  const query = new URLSearchParams({ limit: String(LIMIT) });
  for (const [name, value] of Object.entries(input)) query.set(name, String(value));
  const { status, body } = await client.get(`${path}?${query}`);
  if (status !== 200 || !next || !body.next) return { status, body };
  expect(body.next.page.length).toBeLessThan(1000);
  query.set('page', body.next.page);
  expect((await client.get(`${path}?${query}`)).status).toBe(200);
  return { status, body };
}

describe('the statements of a list read and sort no more rows than a page needs', () => {
  test.for(titled(lists.filter((list) => !ranked.includes(list))))('%s', async ([, list]) => {
    const ids = idsFor(list, world);
    const found = new Set<string>();
    for (const input of inputsOf(list, ids)) {
      const isPlain = Object.keys(input).length === 0;
      const statements = await statementsOf(async () => {
        const { status, body } = await read(world.admin, list, ids, input, isPlain);
        expect(status, JSON.stringify(body)).toBe(200);
        if (!isPlain) return;
        if (!inMemory.includes(list) && !list.shape.status)
          expect(body.next, 'its table is not filled: see test/contract/filled').toBeDefined();
        // Non-admins see what their grants allow; some lists are denied to them.
        await read(member, list, ids, input, isPlain);
      });
      const filter = Object.keys(input).at(-1);
      const readsMore = list.name in READS_MORE || `${list.name} ${filter}` in READS_MORE;
      for (const statement of statements)
        for (const problem of await planProblems(statement, readsMore))
          found.add(`${JSON.stringify(input)}: ${problem}`);
    }
    expect([...found]).toEqual([]);
  });

  const procedures = appRouter._def.procedures as unknown as Record<string, AnyProcedure>;
  const withEnvelope = Object.entries(procedures).flatMap(([name, { _def }]) => {
    const { shape } = ((_def as { output?: z.ZodObject }).output ?? {}) as { shape?: object };
    return shape && 'items' in shape && 'count' in shape ? [name] : [];
  });
  const ofOperator = withEnvelope.filter((name) => name.startsWith('installation.'));

  test.for(ofOperator)('%s', async (name) => {
    const { database, services } = service.runtime;
    const [feature = '', group = '', procedure = ''] = name.split('.');
    type Lists = Record<
      string,
      Record<string, Record<string, (input: object) => Promise<{ next?: { page: string } }>>>
    >;
    const list = (createCaller(toolContext(database, services)) as unknown as Lists)[feature]?.[group]?.[
      procedure
    ];
    const shape = Object.assign(
      {},
      ...(procedures[name]?._def.inputs ?? []).map((input) => (input as z.ZodObject).shape),
    );
    const input = {
      limit: LIMIT,
      ...('organization' in shape && { organization: world.ids.organizationId }),
      ...('user' in shape && { user: world.owner.id }),
    };
    const statements = await statementsOf(async () => {
      const page = await list?.(input);
      expect(page?.next).toBeDefined();
      await list?.({ ...input, page: page?.next?.page });
    });
    const problems: string[] = [];
    for (const statement of statements) problems.push(...(await planProblems(statement, false)));
    expect(problems).toEqual([]);
  });

  test('all lists have been checked for the rows that they read and sort', () => {
    const tested = new Set([...lists.map(({ name }) => name), ...ofOperator]);
    expect(withEnvelope.filter((name) => !tested.has(name))).toEqual([]);
    expect(withEnvelope.length).toBeGreaterThan(40);
  });
});
