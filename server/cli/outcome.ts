import { messageOf, oneLine } from '../failures.ts';

/** Exit code of a failed command. */
export const FAILURE = 1;
/** Exit code for an invalid command line or configuration. */
export const USAGE = 2;

/** Exit code of an import that left something out, of a document that was refused, and of a backup that lacks files. */
export const INCOMPLETE = 3;

/** Ends a command that has printed its result with an exit code of its own. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/** The error message of a failed command, on one line, and its exit code. */
export async function failureOf(error: unknown): Promise<{ message: string; code: number }> {
  if (error instanceof Incomplete) return { message: oneLine(error.message), code: INCOMPLETE };
  const [{ isCallError }, { ConfigError }] = await Promise.all([
    import('../tool/index.ts'),
    import('../config.ts'),
  ]);
  if (isCallError(error)) {
    // The operator may see details that callers may not.
    const code = error.data?.code;
    const message = code === 'INTERNAL_SERVER_ERROR' ? messageOf(error.cause ?? error) : error.message;
    return { message: oneLine(message), code: code === 'BAD_REQUEST' ? USAGE : FAILURE };
  }
  return { message: oneLine(messageOf(error)), code: error instanceof ConfigError ? USAGE : FAILURE };
}
