import type { FastifyInstance } from 'fastify';
import { VERSION } from '../version.ts';

/**
 * Mounts `/healthz`, which says that the process runs, and `/readyz`, which says whether it can serve requests: not once it is
 * closing.
 */
export function mountHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.get('/healthz', async () => ({ status: 'ok', version: VERSION }));
  app.get('/readyz', async (_request, reply) => {
    const ready = !closing && (await isReady());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
}
