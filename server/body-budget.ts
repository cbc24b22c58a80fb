import type { FastifyInstance } from 'fastify';
import { refusal } from './http-errors.ts';

/** What the bodies of all requests under way may take together, in bytes of memory. */
export const BODIES_LIMIT = 256 * 1024 * 1024;

/** What one request has of that. */
export interface Hold {
  /**
   * Makes it this much, if it is less.
   * @throws a refusal with 503 where others hold too much.
   */
  atLeast(bytes: number): void;
  release(): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body takes of the budget; only requests with a body have it. */
    hold: Hold | null;
  }
}

/**
 * Bounds the memory that bodies take together: beyond, a request is refused before it is read, or at the byte that
 * would be too much. A body counts until its handler is done, also where its sender has gone away before.
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
