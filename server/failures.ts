import { codeOf } from '../routers/base/error-code.ts';

/** The service could not start; the message is for an operator. */
export class StartError extends Error {
  override name = 'StartError';
}

/** There is no installation, and none is to be created. */
export class NoInstallationError extends StartError {
  override name = 'NoInstallationError';

  constructor(dataDir?: string) {
    super(
      dataDir === undefined
        ? 'There is no installation in the database: is DATABASE_URL that of the service?'
        : `There is no installation in ${dataDir}: is it the DATA_DIR of the service?`,
    );
  }
}

/**
 * The message of an error, or of the first one in an AggregateError, such as from connecting to a name with several
 * addresses.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (error instanceof Error && error.message) return error.message;
  // Libraries also report errors as plain objects.
  if (typeof error === 'object' && error !== null && 'message' in error && error.message)
    return String(error.message);
  return String(error);
}

/** A text on one line, for the command line. */
export const oneLine = (text: string): string => text.trim().replace(/(?<!\s)\s*\n\s*/g, ' ');

/** The error to report when the service cannot listen. */
export function listenFailure(error: unknown, { host, port }: { host: string; port: number }): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another program. Stop it, or set PORT to another port.`,
    EACCES: `port ${port} is reserved for root. Set PORT to 1024 or more.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: `${host} is not a known host. Set HOST to an address of this machine, or to 0.0.0.0 for all.`,
  };
  const reason = reasons[codeOf(error) ?? ''];
  return reason ? new StartError(reason, { cause: error }) : (error as Error);
}
