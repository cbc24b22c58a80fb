import type { Logger } from '../../routers/base/context.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

/** Opens tracing if it is configured; only then are the packages of OpenTelemetry loaded. */
export async function openTracing(
  settings: TracingSettings | undefined,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { openTelemetry } = await import('./telemetry.ts');
  return openTelemetry(settings, logger);
}
