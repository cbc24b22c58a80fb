import { codeOf } from '../../routers/base/error-code.ts';
import { diskProblemOf } from '../system-errors.ts';

/** The embedded PostgreSQL cannot be used; the message tells the operator why and what to do. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError';
}

/** Another Colophon service already runs on this data directory. */
export class AlreadyRunningError extends EmbeddedDatabaseError {
  override name = 'AlreadyRunningError';

  constructor(dataDir: string, pid: number | undefined) {
    super(
      `Another Colophon service${pid ? ` (pid ${pid})` : ''} already uses ${dataDir}. Processes that share a database, such as workers, need DATABASE_URL.`,
    );
  }
}

const EXPLANATIONS: Record<string, string> = {
  EACCES: 'Permission denied. Run Colophon as the user who owns its data directory',
  EPERM: 'Operation not permitted. Run Colophon as the user who owns its data directory',
  ENOENT: 'A directory cannot be created there',
  EEXIST: 'Part of the path is not a directory',
  ENOTDIR: 'Part of the path is not a directory',
};

/** Explains a system error in plain words; other errors are returned unchanged. */
export function explain(error: unknown, dataDir: string): Error {
  if (!(error instanceof Error)) return new EmbeddedDatabaseError(String(error));
  const explanation = diskProblemOf(error) ?? EXPLANATIONS[codeOf(error) ?? ''];
  if (!explanation || error instanceof EmbeddedDatabaseError) return error;
  return new EmbeddedDatabaseError(`${explanation} (data directory ${dataDir}): ${error.message}`, {
    cause: error,
  });
}

const REASONS: [string, string][] = [
  ['No space left on device', 'The disk is full.'],
  ['Check free disk space', 'The disk is full.'],
  ['could not look up effective user ID', 'The user Colophon runs as needs an entry in /etc/passwd.'],
  ['could not create shared memory segment', 'The system allows too little shared memory.'],
];

/** The last lines of output of a PostgreSQL program, after a plain explanation if the error is known. */
export function explainOutput(output: string): string {
  const reason = REASONS.find(([sign]) => output.includes(sign))?.[1];
  const lines = output.split('\n').slice(-10).join('\n');
  return [reason, lines || '(nothing)'].filter(Boolean).join('\n');
}
