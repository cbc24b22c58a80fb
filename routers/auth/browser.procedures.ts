import { publicProcedure } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * A procedure for anyone who uses a page of this service in a browser: its result is a cookie, or depends on a secret. It
 * manages its own transactions, since passwords are hashed without one.
 */
export const browserProcedure = publicProcedure.use(({ ctx, next }) => {
  const { browser } = ctx;
  if (!browser?.isSameOrigin)
    throw new DomainError(
      'forbidden',
      'Only a page of this service may do this: send the `Origin` of PUBLIC_URL from a browser, or use an API token.',
    );
  return next({ ctx: { browser } });
});
