import type { Logger } from '../../routers/base/context.ts';

/** Which installation a tool opens. */
export interface InstallationOptions {
  /** The variables that select the installation, as they do for the service; those of the process by default. */
  environment?: Record<string, string | undefined>;
  /** By default, warnings and errors go to standard error, or what `LOG_LEVEL` says. */
  logger?: Logger;
}
