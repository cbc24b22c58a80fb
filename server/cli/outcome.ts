import { messageOf, oneLine } from '../failures.ts';

/** Exit code of a command that could not do what it was asked to. */
export const FAILURE = 1;
/** Exit code of a command line, or a configuration, that is not valid. */
export const USAGE = 2;

/** What a failed command says, on one line, and the code it exits with. */
export async function failureOf(error: unknown): Promise<{ message: string; code: number }> {
  const [{ TRPCError }, { publicMessage }, { ConfigError }] = await Promise.all([
    import('@trpc/server'),
    import('../../routers/trpc.ts'),
    import('../config.ts'),
  ]);
  if (error instanceof TRPCError) {
    // The operator may know what callers may not.
    const unforeseen = error.code === 'INTERNAL_SERVER_ERROR';
    const message = unforeseen ? messageOf(error.cause ?? error) : publicMessage(error);
    return { message: oneLine(message), code: error.code === 'BAD_REQUEST' ? USAGE : FAILURE };
  }
  return { message: oneLine(messageOf(error)), code: error instanceof ConfigError ? USAGE : FAILURE };
}
