import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../routers/base/caller.ts';
import { FairShare, type Shares, type Slot } from './fair-share.ts';

const MB = 1024 * 1024;

/**
 * Memory for the bodies of requests in flight, in bytes: for all users, and for one. The organization is not known until a
 * body has been read.
 */
// guard: body-memory-per-user
export const BODIES_LIMIT: Shares = { all: 256 * MB, organization: 256 * MB, user: 128 * MB };

const TOO_MANY = 'Too many large requests are in progress; try again soon.';

/** The memory reserved for the body of one request. */
export interface Reservation {
  /**
   * Grows the reservation to this size, if it is smaller.
   * @throws DomainError `too-many` beyond the limit of the user, `unavailable` if too little is left
   */
  growTo(bytes: number): void;
  release(): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory reserved for the body; null for requests without one. */
    bodyReservation: Reservation | null;
  }
}

/**
 * Limits the total memory for bodies: beyond that, a request is rejected before its body is read, or at the byte that
 * exceeds the limit. A body counts until its handler is done, even if the client has disconnected.
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
    // guard: body-memory-released
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
