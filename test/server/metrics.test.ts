import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inCheckout } from '../helpers/checkout.ts';
import { configuredApp } from '../helpers/configured-app.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  token = (await service.build.user()).token;
});
afterAll(() => service.close());

test('metrics are public unless a token is configured', async () => {
  expect((await service.app.inject('/metrics')).statusCode).toBe(200);
  const METRICS_TOKEN = 'm'.repeat(32);
  const { app } = await configuredApp(service.runtime, { METRICS_TOKEN });
  const ask = async (authorization = '') => {
    const { statusCode } = await app.inject({ url: '/metrics', headers: { authorization } });
    return statusCode;
  };
  expect(await ask()).toBe(401);
  expect(await ask(`Bearer ${METRICS_TOKEN}x`)).toBe(401);
  expect(await ask(`Bearer ${token}`)).toBe(401);
  expect(await ask(`Bearer ${METRICS_TOKEN}`)).toBe(200);
  await app.close();
});

test('metrics include jobs, webhooks, imports and merges, and the dashboard uses no other metrics', async () => {
  const { measurements } = service.runtime;
  const valuesIn = (text: string) =>
    new Map([...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));
  // The service may have been used by another file.
  const before = valuesIn((await service.app.inject('/metrics')).body);
  measurements.record({ work: 'job', queue: 'send-mail', outcome: 'failed' }, 2);
  measurements.record({ work: 'webhook-attempt', outcome: 'refused' }, 0.2);
  measurements.record({ work: 'import', outcome: 'imported' }, 20);
  measurements.record({ work: 'merge', outcome: 'conflicts' }, 0.1);
  const metrics = (await service.app.inject('/metrics')).body;
  const after = valuesIn(metrics);
  for (const [name, value] of [
    ['database_up', 1],
    ['jobs{queue="send-mail",state="ready"}', 0],
    ['webhook_deliveries_pending', 0],
    ['webhook_delivery_lag_seconds', 0],
  ] as const)
    expect(after.get(name), name).toBe(value);
  for (const [name, increase] of [
    ['job_duration_seconds_count{queue="send-mail",outcome="failed"}', 1],
    ['webhook_attempt_duration_seconds_count{outcome="refused"}', 1],
    ['import_duration_seconds_sum{outcome="imported"}', 20],
    ['change_request_merge_duration_seconds_count{outcome="conflicts"}', 1],
  ] as const)
    expect((after.get(name) ?? 0) - (before.get(name) ?? 0), name).toBeCloseTo(increase, 6);

  const labelsOf = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of metrics.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labelsOf.get(name) ?? new Set(['instance']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    labelsOf.set(name, known);
  }
  const text = await readFile(inCheckout('server/deploy/grafana-dashboard.json'), 'utf8');
  const expressions = [...text.matchAll(/"expr": "(.*)",$/gm)].map(([, expression = '']) => expression);
  expect(expressions.length).toBeGreaterThan(20);
  for (const expression of expressions) {
    const [, name = ''] = /(\w+)\{/.exec(expression) ?? [];
    const used = [...expression.matchAll(/by \(([^)]*)\)|(\w+)=/g)];
    const labels = used.flatMap(([, list, one]) => one ?? list?.split(', ') ?? []);
    expect([...(labelsOf.get(name) ?? [])], expression).toEqual(expect.arrayContaining(labels));
  }
});
