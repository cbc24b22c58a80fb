import { siteProcedure } from '../access/procedures.ts';
import { requireWriteScope } from '../base/trpc.ts';

/** For reading what lets its holder admit visitors, which a read-only token may not. */
export const siteSecretsProcedure = siteProcedure('admin').use(({ ctx, next }) => {
  // guard: publishing-secrets-scope
  requireWriteScope(ctx.actor);
  return next();
});
