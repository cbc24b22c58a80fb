import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { loggerOptions } from '../../server/logger.ts';
import type { Runtime } from '../../server/runtime.ts';

/** Another application with this runtime and settings of its own, and the lines of its log. */
export async function configuredApp(
  runtime: Runtime,
  environment: Record<string, string>,
  level = 'warn',
): Promise<{ app: FastifyInstance; lines: string[] }> {
  const lines: string[] = [];
  const logger = pino(loggerOptions(level), { write: (line: string) => lines.push(line) });
  const config = readConfig({ MAX_EVENT_LOOP_DELAY: '0', ...environment });
  return { app: await buildApp(runtime, config, logger), lines };
}
