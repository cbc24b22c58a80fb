import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../routers/base/caller.ts';
import { FairShare, type Shares, type Slot } from './fair-share.ts';

const MB = 1024 * 1024;

/**
 * Memory for the bodies of requests in flight, in bytes: of all, and of one user. The organization is not known before a
 * body is read.
 */
export const BODIES_LIMIT: Shares = { all: 256 * MB, organization: 256 * MB, user: 128 * MB };

const TOO_MANY = 'Too many large requests are in progress; try again soon.';

/** The share of one request. */
export interface Reservation {
  /**
   * Grows it to this size, if it is smaller.
   * @throws DomainError `too-many` beyond what one user may hold, `unavailable` if the others leave too little.
   */
  growTo(bytes: number): void;
  release(): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The share of the budget that its body takes; only set for requests with a body. */
    bodyReservation: Reservation | null;
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
  open(caller: Caller, response: ServerResponse): Reservation;
} {
  const share = new FairShare({
    slots: limit,
    messages: {
      user: 'You have too many large requests in progress.',
      organization: TOO_MANY,
      all: TOO_MANY,
    },
  });
  const handled = new WeakSet<Reservation>();
  const open = (caller: Caller, response: ServerResponse): Reservation => {
    let size = 0;
    let slots: Slot[] = [];
    const bodyReservation: Reservation = {
      growTo(bytes) {
        if (bytes <= size) return;
        slots.push(share.acquireNow(caller, bytes - size));
        size = bytes;
      },
      release() {
        for (const slot of slots) slot.release();
        slots = [];
        size = 0;
      },
    };
    // There is no response for a client that disconnects while it sends.
    response.once('close', () => handled.has(bodyReservation) || bodyReservation.release());
    return bodyReservation;
  };
  app.decorateRequest('bodyReservation', null);
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const { bodyReservation } = request;
      if (!bodyReservation) return handler.call(this, request, reply);
      handled.add(bodyReservation);
      return (async () => {
        try {
          return await handler.call(this, request, reply);
        } finally {
          bodyReservation.release();
        }
      })();
    };
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.bodyReservation && !handled.has(request.bodyReservation)) request.bodyReservation.release();
    done();
  });
  return { open };
}
