import type { Logger } from '../../routers/base/context.ts';
import { type Config, readConfig } from '../config.ts';
import { openLogger } from '../logger.ts';

/** Which installation a tool opens. */
export interface InstallationOptions {
  /** The environment variables that select the installation, as for the service; those of the process by default. */
  environment?: Record<string, string | undefined>;
  /** Whether to create the installation if there is none; true by default. */
  create?: boolean;
  /** By default, warnings and errors, or what `LOG_LEVEL` says, go to standard error. */
  logger?: Logger;
  /** Ends the opening, which then throws its reason. */
  signal?: AbortSignal;
}

/** The configuration and the logger of a tool. */
export async function readOptions({
  environment,
  logger,
}: Pick<InstallationOptions, 'environment' | 'logger'>): Promise<{ config: Config; logger: Logger }> {
  const config = readConfig(environment, { logLevel: 'warn' });
  const log = logger ?? (await openLogger(config.logLevel, process.stderr));
  for (const warning of config.warnings) log.warn({}, warning);
  return { config, logger: log };
}
