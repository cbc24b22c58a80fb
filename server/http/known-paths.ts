import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';
import { refusal } from './http-errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Refuses requests without a route, without reading their bodies: with 405 if the path has routes for other methods, else
 * with 404.
 */
export function refuseUnknown(app: FastifyInstance, maxParamLength: number): void {
  const taken = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return;
    const path = url.replace(/(?<=.)\/$/, '');
    const methods = taken.get(path) ?? new Set();
    taken.set(path, methods);
    for (const name of [method].flat()) methods.add(name);
  });
  const paths = findMyWay({ ignoreTrailingSlash: true, maxParamLength });
  app.addHook('onReady', async () => {
    for (const [path, methods] of taken) paths.on('GET', path, () => {}, methods);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const methods: Set<string> | undefined = paths.find('GET', request.url)?.store;
    if (!methods) return done(refusal(404));
    const takes = METHODS.filter((method) => methods.has(method)).join(', ');
    reply.header('allow', `${takes}, OPTIONS`);
    done(refusal(405, `This URL supports only ${takes}.`));
  });
}
