import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DatabaseHandle } from './database.ts';

/**
 * Answers `/metrics` in the Prometheus format: the process, each request by route, method and status, and the connections
 * to the database.
 */
export function mountMetrics(app: FastifyInstance, database: DatabaseHandle): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  countConnections(registry, database);
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
}

/** Figures of the pools of connections, read when they are asked for. */
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
    help: 'Requests that wait for a connection to the database.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { waiting }] of Object.entries(database.pools())) this.set({ pool }, waiting);
    },
  });
  new Counter({
    name: 'database_connections_lost_total',
    help: 'Connections to the database that broke, or were closed because their state was not known.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [pool, { lost }] of Object.entries(database.pools())) this.inc({ pool }, lost);
    },
  });
}
