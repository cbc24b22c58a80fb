import type { Logger } from '../../routers/base/context.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

/** Opens what the configuration says, if it does; the packages of OpenTelemetry are loaded only then. */
export async function openTracing(
  settings: TracingSettings | undefined,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { openTelemetry } = await import('./telemetry.ts');
  return openTelemetry(settings, logger);
}
