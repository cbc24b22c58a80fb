import { connect } from 'node:net';
import { expect, vi } from 'vitest';
import { isStopped } from './embedded-postgres-harness.ts';
import { holdUp, requestHeldUp } from './held-up-requests.ts';
import { call, ready, run } from './process-harness.ts';

/** Supervisors allow 10 seconds or more. The service exits with 1 after 9, if it has not finished before. */
export const STOP_LIMIT = 10_000;

/** Waits until a service accepts no new connections. */
const refused = (url: string) =>
  vi.waitUntil(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.on('error', () => resolve(true));
        socket.on('connect', () => {
          socket.destroy();
          resolve(false);
        });
      }),
    { timeout: STOP_LIMIT, interval: 10 },
  );

/** Stops `npm start` while a request is in progress and a client keeps its connection open, which must take little time. */
export async function expectToStop(
  { dataDir, token }: { dataDir: string; token: string },
  { signal, group }: { signal: NodeJS.Signals; group: boolean },
): Promise<void> {
  const program = run('npm', ['start'], { DATA_DIR: dataDir, PORT: '0' }, { detached: true });
  const service = await ready(program);
  // This connection is kept alive by the client, and idle from here on.
  await call(service, token, '/user');
  const blocker = await holdUp(dataDir);
  const answer = call(service, token, '/orgs');
  await requestHeldUp(dataDir);
  const begun = performance.now();
  const pid = program.process.pid as number;
  process.kill(group ? -pid : pid, signal);
  await refused(service.url);
  await blocker.end();
  expect((await answer).status).toBe(200);
  await program.exit;
  // npm may exit first.
  await vi.waitUntil(() => isStopped(dataDir), { timeout: STOP_LIMIT });
  expect(performance.now() - begun).toBeLessThan(STOP_LIMIT);
  await expect(call(service, token, '/user')).rejects.toThrow();
}
