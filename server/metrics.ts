import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from './engine/pool.ts';
import { refusal } from './http-errors.ts';

interface Measured {
  pool: Pool | undefined;
  /** What a caller must show, where one is needed. */
  token: string | undefined;
}

/**
 * Answers `/metrics` in the Prometheus format: the process, each request by route, method and status, and the large tasks
 * on content. With a token, only to those who show it.
 */
export function mountMetrics(app: FastifyInstance, { pool, token }: Measured): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  if (pool) measurePool(pool, registry);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && !isEqual(request.headers.authorization, `Bearer ${token}`)) {
      throw refusal(401, 'The token for metrics is needed: send it as "Authorization: Bearer <token>".');
    }
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
}

/** Compares in a time that tells nothing of either text. */
const isEqual = (given = '', expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
function measurePool(pool: Pool, registry: Registry): void {
  const registers = [registry];
  const duration = new Histogram({
    name: 'content_task_duration_seconds',
    help: 'Time that large tasks on content took in their workers.',
    labelNames: ['task', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers,
  });
  pool.observe({
    ended: (task, outcome, seconds) => duration.observe({ task, outcome }, seconds),
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('content_tasks_running', 'Large tasks on content under way.', () => pool.running);
  gauge('content_tasks_waiting', 'Large tasks on content that wait for a worker.', () => pool.waiting);
  gauge('content_workers', 'Workers for large tasks on content.', () => pool.workers);
}
