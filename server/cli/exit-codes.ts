import { messageOf, oneLine } from '../failures.ts';

/** Exit code of a failed command. */
export const EXIT_FAILURE = 1;
/** Exit code for an invalid command line or configuration. */
export const EXIT_USAGE = 2;

/** Exit code of an import that skipped something, of a document that was rejected, and of a backup with missing files. */
export const EXIT_INCOMPLETE = 3;

/** A command has printed its result, but it is not complete: ends it with {@link EXIT_INCOMPLETE}. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
}

/** The options of a command do not fit together: ends it with {@link EXIT_USAGE}. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The error message of a failed command, on one line, and its exit code. */
export async function failureOf(error: unknown): Promise<{ message: string; code: number }> {
  if (error instanceof IncompleteError) return { message: oneLine(error.message), code: EXIT_INCOMPLETE };
  const [{ isCallError }, { ConfigError }] = await Promise.all([
    import('../tool/index.ts'),
    import('../config.ts'),
  ]);
  if (isCallError(error)) {
    // The operator may see details that are hidden from callers.
    const code = error.data?.code;
    const message = code === 'INTERNAL_SERVER_ERROR' ? messageOf(error.cause ?? error) : error.message;
    const isMissing = error.data?.details?.some(
      ({ path, message }) => path === 'organization' && message.startsWith('is required'),
    );
    const hint = isMissing ? ' Choose one with --organization.' : '';
    return { message: oneLine(message) + hint, code: code === 'BAD_REQUEST' ? EXIT_USAGE : EXIT_FAILURE };
  }
  return {
    message: oneLine(messageOf(error)),
    code: error instanceof ConfigError || error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE,
  };
}
