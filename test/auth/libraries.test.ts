import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The libraries that only signing in needs; of nodemailer, the configuration needs the parser of addresses. */
const LIBRARIES = [
  'openid-client/',
  'oauth4webapi/',
  '@simplewebauthn/server/',
  'otpauth/',
  'uqr/',
  'nodemailer/dist/esm/nodemailer.js',
];

test('the libraries for signing in are loaded on first use, not when the service starts', async () => {
  const root = new URL('../..', import.meta.url);
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
    await import('./server/app.ts');
    await import('./server/runtime.ts');
    console.log(JSON.stringify([...loaded]));`;
  const node = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: root });
  const loaded = (JSON.parse(stdout) as string[]).filter((url) => url.includes('/node_modules/'));
  expect(loaded.some((url) => url.includes('/node_modules/fastify/'))).toBe(true);
  expect(LIBRARIES.filter((name) => loaded.some((url) => url.includes(`/node_modules/${name}`)))).toEqual([]);
});
