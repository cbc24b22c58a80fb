import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startServer } from '../bench/processes.ts';
import { runLoad } from '../bench/run-load.ts';
import { makeFolder } from '../helpers/folders.ts';

/** A server that sends its environment to callers with the right token. */
const SERVER = `
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  response.statusCode = request.headers.authorization === 'Bearer right' ? 200 : 401;
  response.end(JSON.stringify(process.env));
});
server.listen(0, '127.0.0.1', () => console.error('ready at http://localhost:' + server.address().port));
process.on('SIGTERM', () => process.exit());
`;

let checkout: string;
beforeAll(async () => {
  checkout = await makeFolder('bench-check');
  await mkdir(join(checkout, 'server'));
  await writeFile(join(checkout, 'package.json'), JSON.stringify({ type: 'module', scripts: { start: '' } }));
  await writeFile(join(checkout, 'server/main.ts'), SERVER);
});
afterEach(() => vi.unstubAllEnvs());

const start = () => startServer('server/main.ts', { BOOTSTRAP_TOKEN: 'of the bench' }, checkout);

test('a server started by a bench does not inherit settings from the environment of the bench', async () => {
  for (const name of ['BOOTSTRAP_TOKEN', 'PORT', 'JOBS', 'DATABASE_URL', 'DATA_DIR', 'PUBLIC_URL'])
    vi.stubEnv(name, 'of the caller');
  const server = await start();
  const response = await fetch(server.url, { headers: { authorization: 'Bearer right' } });
  const environment = (await response.json()) as Record<string, string>;
  await server.stop();
  expect(Object.values(environment)).not.toContain('of the caller');
  expect(environment).toMatchObject({ BOOTSTRAP_TOKEN: 'of the bench', PORT: '0', PATH: process.env.PATH });
});

describe('a load', () => {
  const load = async (...tokens: string[]) => {
    const server = await start();
    try {
      return await runLoad({ url: server.url, paths: ['/one', '/two'], tokens, seconds: 1 });
    } finally {
      await server.stop();
    }
  };

  test('a load whose requests succeed is measured', async () => {
    const { requests, rate } = await load('right');
    expect(requests).toBeGreaterThan(0);
    expect(rate).toBeGreaterThan(0);
  });

  test.for([[['wrong']], [['right', 'wrong']]] as const)(
    'a load with rejected requests fails instead of being measured: %s',
    async ([tokens]) => {
      await expect(load(...tokens)).rejects.toThrow(
        /^\d+ of \d+ requests to http:\S+\/one and others failed, so their speed says nothing\.$/,
      );
    },
  );
});
