import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../routers/base/caller.ts';
import { FairShare, type Place, type Shares } from './fair-share.ts';

const MB = 1024 * 1024;

/**
 * Memory for the bodies of requests in flight, in bytes: of all, and of one user. The organization is not known before a
 * body is read.
 */
export const BODIES_LIMIT: Shares = { all: 256 * MB, organization: 256 * MB, user: 128 * MB };

const TOO_MUCH = 'Too many large requests are in progress; try again soon.';

/** The share of one request. */
export interface Hold {
  /**
   * Grows it to this size, if it is smaller.
   * @throws DomainError `too-many` beyond what one user may hold, `unavailable` if the others leave too little.
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
export function budgetBodies(
  app: FastifyInstance,
  limit = BODIES_LIMIT,
): {
  open(caller: Caller, response: ServerResponse): Hold;
} {
  const share = new FairShare({
    places: limit,
    refusals: {
      user: 'You have too many large requests in progress.',
      organization: TOO_MUCH,
      all: TOO_MUCH,
    },
  });
  const handled = new WeakSet<Hold>();
  const open = (caller: Caller, response: ServerResponse): Hold => {
    let own = 0;
    let places: Place[] = [];
    const hold: Hold = {
      atLeast(bytes) {
        if (bytes <= own) return;
        places.push(share.take(caller, bytes - own));
        own = bytes;
      },
      release() {
        for (const place of places) place.release();
        places = [];
        own = 0;
      },
    };
    // There is no response for a client that disconnects while it sends.
    response.once('close', () => handled.has(hold) || hold.release());
    return hold;
  };
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
