import { organizationsRouter } from './organizations/organizations.router.ts';
import { usersRouter } from './organizations/users.router.ts';
import { createCallerFactory, router } from './trpc.ts';

/** The table of contents: every procedure, by chapter in the order of the contract. */
export const appRouter = router({
  organizations: organizationsRouter,
  users: usersRouter,
});

export type AppRouter = typeof appRouter;

/** Calls procedures directly, without HTTP. */
export const createCaller = createCallerFactory(appRouter);
