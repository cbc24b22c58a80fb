import { Session } from 'node:inspector/promises';

/**
 * Frees the memory that compiling and starting used, about a fifth of the process. V8 would free it only under memory
 * pressure, which an idle service never has. Takes 0.1 to 0.2 s.
 */
export async function releaseStartupMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
