import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isStopped, makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { killAll, launch, start, waitForOutput } from './process-harness.ts';
import { expectToStop } from './stopping.ts';

let template: Sandbox;
let token: string;
let sandbox: Sandbox;
beforeAll(async () => {
  template = await makeSandbox();
  const service = await start({ DATA_DIR: template.dataDir });
  token = service.token as string;
  await service.stop();
});
afterAll(() => template.clear());
beforeEach(async () => {
  sandbox = await makeSandbox(template);
});
afterEach(async () => {
  killAll();
  await sandbox.clear();
});

describe('a service told to stop', () => {
  test('a service told to stop by kill of `npm start` responds to the request in progress and exits in time, although clients keep their connections open', async () => {
    await expectToStop({ dataDir: sandbox.dataDir, token }, { signal: 'SIGTERM', group: false });
  });

  test('a service told to stop leaves nothing running, even while it starts', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir });
    await waitForOutput(program, 'PostgreSQL started');
    const line = program.stdout.split('\n').find((text) => text.includes('PostgreSQL started'));
    expect(line?.match(/"pid":/g)).toHaveLength(1);
    program.process.kill('SIGTERM');
    expect(await program.exit).toBe(0);
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });
});
