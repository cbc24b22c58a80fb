import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { refusal } from './http-errors.ts';

/**
 * Answers `/metrics` in the Prometheus format: the process, and each request by route, method and status. With a token,
 * only to those who show it.
 */
export function mountMetrics(app: FastifyInstance, token: string | undefined): void {
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
