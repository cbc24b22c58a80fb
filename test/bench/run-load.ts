import type { Load, LoadOptions } from './load.ts';
import { runScript } from './processes.ts';

/**
 * Sends requests to a server from a separate process.
 * @throws Error if a request failed, or there was no response: rejections are fast, and would look like good results
 */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const { failed, ...load } = await runScript<Load & { failed: number }>('load.ts', [
    JSON.stringify(options),
  ]);
  const asked = `${options.url}${options.paths[0]}${options.paths.length > 1 ? ' and others' : ''}`;
  // guard: bench-failed-requests
  if (failed > 0)
    throw new Error(
      `${failed} of ${load.requests} requests to ${asked} failed, so their speed says nothing.`,
    );
  if (load.requests === 0) throw new Error(`No request to ${asked} was answered.`);
  return load;
}
