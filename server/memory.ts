import { Session } from 'node:inspector/promises';

/**
 * Gives back what compiling and starting have used, about a fifth of the memory of the process. V8 leaves that to later
 * pressure, which an idle service never sees. Takes 0.1 to 0.2 s.
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
