import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DatabaseHandle } from './database/database.ts';
import type { Pool } from './engine/pool.ts';
import { isStream } from './http/event-streams.ts';
import { httpError } from './http/http-errors.ts';
import { measureWork, type WorkSources } from './work-metrics.ts';

interface MetricsOptions {
  database: DatabaseHandle;
  /** The worker pools for large tasks. */
  pools: readonly (Pool | undefined)[];
  /** The work of this process, and what waits in the database. */
  work: WorkSources;
  /** The required bearer token, if any. */
  token: string | undefined;
}

/**
 * Serves `/metrics` in the Prometheus format: the process, requests by route, method and status, database connections,
 * large content tasks, jobs, webhooks, imports and merges. If a token is set, it is required.
 */
export function mountMetrics(app: FastifyInstance, { database, pools, work, token }: MetricsOptions): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  measurePools(
    pools.filter((pool) => pool !== undefined),
    registry,
  );
  app.addHook('onResponse', (request, reply, done) => {
    // How long a stream stays open says nothing about the service.
    if (isStream(reply)) return done();
    const route = request.routeOptions.url ?? 'none';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  countConnections(registry, database);
  measureWork(registry, work);
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && !isEqual(request.headers.authorization, `Bearer ${token}`)) {
      throw httpError(401, 'The token for metrics is required: send it as "Authorization: Bearer <token>".');
    }
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
}

/** Compares in constant time. */
const isEqual = (received = '', expected: string): boolean =>
  timingSafeEqual(hash('sha256', received, 'buffer'), hash('sha256', expected, 'buffer'));

function measurePools(pools: readonly Pool[], registry: Registry): void {
  const registers = [registry];
  const duration = new Histogram({
    name: 'content_task_duration_seconds',
    help: 'Duration of large content tasks in their workers.',
    labelNames: ['task', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60],
    registers,
  });
  for (const pool of pools)
    pool.observe({
      ended: (task, outcome, seconds) => duration.observe({ task, outcome }, seconds),
    });
  const gauge = (name: string, help: string, read: (pool: Pool) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(pools.reduce((sum, pool) => sum + read(pool), 0));
      },
    });
  gauge('content_tasks_running', 'Large content tasks in progress.', (pool) => pool.running);
  gauge('content_tasks_waiting', 'Large content tasks waiting for a worker.', (pool) => pool.waiting);
  gauge('content_workers', 'Workers for large content tasks.', (pool) => pool.workers);
}

/** Metrics of the connection pools, read on demand. */
function countConnections(registry: Registry, database: DatabaseHandle): void {
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database: all, idle, and in use.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { total, idle, inUse }] of Object.entries(database.pools())) {
        this.set({ pool, state: 'total' }, total);
        this.set({ pool, state: 'idle' }, idle);
        this.set({ pool, state: 'in_use' }, inUse);
      }
    },
  });
  new Gauge({
    name: 'database_pool_waiting',
    help: 'Statements and transactions waiting for a connection to the database.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { waiting }] of Object.entries(database.pools())) this.set({ pool }, waiting);
    },
  });
  new Counter({
    name: 'database_connections_lost_total',
    help: 'Connections to the database that broke, or were closed because their state was unknown.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [pool, { lost }] of Object.entries(database.pools())) this.inc({ pool }, lost);
    },
  });
}
