import type { FastifyInstance } from 'fastify';
import { refusal } from './http-errors.ts';

/** Memory for the bodies of all requests in flight, in bytes. */
export const BODIES_LIMIT = 256 * 1024 * 1024;

/** The share of one request. */
export interface Hold {
  /**
   * Grows it to this size, if it is smaller.
   * @throws a refusal with 503 if the others leave too little.
   */
  atLeast(bytes: number): void;
  release(): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The share of the budget that its body takes; only set for requests with a body. */
    hold: Hold | null;
  }
}

/**
 * Bounds the total memory of bodies: beyond it, a request is refused before it is read, or at the byte that exceeds it. A
 * body counts until its handler is done, even if the client has disconnected.
 */
export function budgetBodies(app: FastifyInstance, limit = BODIES_LIMIT): { open(): Hold } {
  let held = 0;
  const open = (): Hold => {
    let own = 0;
    return {
      atLeast(bytes) {
        if (bytes <= own) return;
        if (held + bytes - own > limit)
          throw refusal(503, 'Too many large requests are in progress; try again soon.');
        held += bytes - own;
        own = bytes;
      },
      release() {
        held -= own;
        own = 0;
      },
    };
  };
  const handled = new WeakSet<Hold>();
  app.decorateRequest('hold', null);
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const { hold } = request;
      if (!hold) return handler.call(this, request, reply);
      handled.add(hold);
      return (async () => {
        try {
          return await handler.call(this, request, reply);
        } finally {
          hold.release();
        }
      })();
    };
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.hold && !handled.has(request.hold)) request.hold.release();
    done();
  });
  return { open };
}
