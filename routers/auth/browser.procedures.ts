import { publicProcedure } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * A procedure for anyone with a browser, on a page of this service: what it answers with is a cookie, or what only the owner
 * of a secret knows. It manages its own transactions, since passwords are hashed without one.
 */
export const browserProcedure = publicProcedure.use(({ ctx, next }) => {
  const { browser } = ctx;
  if (!browser?.isOwn)
    throw new DomainError(
      'forbidden',
      'Only a page of this service may do this: send the `Origin` of PUBLIC_URL from a browser, or use an access token.',
    );
  return next({ ctx: { browser } });
});
