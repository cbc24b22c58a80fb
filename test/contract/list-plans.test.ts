import type { AnyProcedure } from '@trpc/server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { appRouter, createCaller } from '../../routers/index.ts';
import { paging } from '../../routers/pagination.ts';
import { toolContext } from '../../server/context.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { fillWorld, ROWS } from './filled-world.ts';
import { type Ids, inputOf } from './inputs.ts';
import { type Operation, operations, titled, unlisted } from './operations.ts';
import { buildWorld, idsFor, type World } from './world.ts';

vi.setConfig({ hookTimeout: 300_000 });

let service: TestService;
let world: World;
let planner: pg.Client;
let callers: Record<string, Client>;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  const member = await service.build.member(world.ids.organizationId as string, 'admin');
  callers = { admin: world.admin, member: service.as((await service.build.member(world.ids.organizationId as string, 'edit')).token) };
  planner = new pg.Client({ connectionString: service.databaseUrl });
  await planner.connect();
  const t = performance.now();
  await fillWorld(planner, world);
  console.log('filled', performance.now() - t, member.id.length);
});
afterAll(async () => {
  await planner.end();
  await service.close();
});

interface Sent { text: string; values: unknown[] }

async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.flatMap((args) => {
      const [first, second] = args as unknown as [string | { text: string; values?: unknown[] }, unknown[]?];
      const one = typeof first === 'string' ? { text: first, values: second ?? [] } : { text: first.text, values: first.values ?? [] };
      return /^\s*(with|select)\b/i.test(one.text) ? [one] : [];
    });
  } finally {
    query.mockRestore();
  }
}

interface Plan {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}
function* nodesOf(plan: Plan, inner = false): Generator<Plan & { inner: boolean }> {
  const isInner = inner || ['SubPlan', 'InitPlan'].includes(plan['Parent Relationship'] ?? '');
  yield { ...plan, inner: isInner };
  for (const part of plan.Plans ?? []) yield* nodesOf(part, isInner);
}

async function faults({ text, values }: Sent): Promise<string[]> {
  const { rows } = await planner.query(`explain (analyze, timing off, summary off, format json) ${text}`, values);
  const plan = (rows[0]['QUERY PLAN'] as { Plan: Plan }[])[0]!.Plan;
  const isCount = plan['Node Type'] === 'Aggregate';
  const found: string[] = [];
  for (const node of nodesOf(plan)) {
    const read = ((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops']);
    const where = `${isCount ? 'count: ' : ''}${node.inner ? 'inner ' : ''}${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''}`;
    if (node['Node Type'] === 'Seq Scan' && read >= ROWS / 2) found.push(`${where} reads ${read}`);
    else if (node['Node Type'].includes('Sort') && read > 1000) found.push(`${where} reads ${read}`);
    else if (!isCount && !node.inner && read > 2000) found.push(`${where} reads ${read}`);
  }
  return found;
}

const lists = operations.filter(({ shape }) => 'page' in shape && 'limit' in shape);

interface Choice { type?: string; enum?: unknown[]; anyOf?: Choice[]; items?: Choice; const?: unknown }
function valuesOf({ type, enum: values, anyOf, items, const: only }: Choice): unknown[] {
  if (items) return valuesOf(items);
  if (only !== undefined) return [only];
  if (anyOf) return anyOf.flatMap(valuesOf);
  return values ?? (type === 'boolean' ? [true, false] : ['Some text']);
}

function variants(list: Operation, ids: Ids): Record<string, unknown>[] {
  const naming = new Map(inputOf(list, ids).fields.map(({ path, kind }) => [path, ids[kind]]));
  const filters = Object.entries(list.shape).filter(([name]) => !['page', 'limit', 'shareKey', 'metadata', 'computed', 'format', ...list.pathParameters].includes(name));
  return [{}, ...filters.flatMap(([name, schema]) => (naming.has(name) ? [naming.get(name)] : valuesOf(z.toJSONSchema(schema, { io: 'input' }) as Choice)).flatMap((value) => [{ [name]: value }, ...(name !== 'status' && list.shape.status?.safeParse('all').success ? [{ status: 'all', [name]: value }] : [])]))];
}

describe('lists', () => {
  test.for(titled(lists))('%s', async ([, list]) => {
    const ids = idsFor(list, world);
    const found: string[] = [];
    for (const [name, client] of Object.entries(callers)) {
      for (const input of variants(list, ids)) {
        const path = list.path.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(ids[parameter] as string));
        const query = new URLSearchParams({ limit: '20', ...Object.fromEntries(Object.entries(input).map(([k, v]) => [k, String(v)])) });
        const sent = await sentBy(async () => {
          const first = await client.get(`${path}?${query}`);
          if (name === 'member' && first.status !== 200) return;
          expect(first.status, JSON.stringify(first.body)).toBe(200);
          if (first.body.next) {
            query.set('page', first.body.next.page);
            expect((await client.get(`${path}?${query}`)).status).toBe(200);
          }
        });
        for (const one of sent) for (const fault of await faults(one)) found.push(`${name} ${JSON.stringify(input)}: ${fault} :: ${process.env.SHOWSQL ? one.text : ''}`);
      }
    }
    if (found.length) console.log(list.name, found.join('\n'));
    expect(found).toEqual([]);
  });
});
void [createCaller, appRouter, paging, toolContext, unlisted, ROWS, {} as AnyProcedure];
