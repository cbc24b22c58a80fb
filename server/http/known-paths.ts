import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';
import { httpError } from './http-errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Rejects requests that no route matches, without reading their bodies: with 405 if the path has routes for other methods,
 * else with 404.
 */
export function rejectUnknownPaths(app: FastifyInstance, maxParamLength: number): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return;
    const path = url.replace(/(?<=.)\/$/, '');
    const methods = methodsByPath.get(path) ?? new Set();
    methodsByPath.set(path, methods);
    for (const name of [method].flat()) methods.add(name);
  });
  const paths = findMyWay({ ignoreTrailingSlash: true, maxParamLength });
  app.addHook('onReady', async () => {
    for (const [path, methods] of methodsByPath) paths.on('GET', path, () => {}, methods);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const methods: Set<string> | undefined = paths.find('GET', request.url)?.store;
    // guard: method-not-allowed
    if (!methods) return done(httpError(404));
    const allowed = METHODS.filter((method) => methods.has(method)).join(', ');
    // guard: allow-header
    reply.header('allow', `${allowed}, OPTIONS`);
    done(httpError(405, `This URL supports only ${allowed}.`));
  });
}
