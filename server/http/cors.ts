import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Response headers that scripts on other origins may read, besides those that CORS always allows. */
const EXPOSED_HEADERS = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'X-Ignored-Input',
  'X-GitBook-Cache-Tag',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** `Access-Control-Max-Age` of preflight responses, in seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

/** Lets scripts on some origins, or with `*` on all, call the API and read its responses. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(fastifyCors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
    // Also respond to OPTIONS requests that are not preflights.
    strictPreflight: false,
  });
}
