import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { expect, test } from 'vitest';
import { UPLOAD_LIMIT } from '../../routers/content/uploads.ts';
import { readConfig } from '../../server/config.ts';
import { VARIABLES } from '../../server/environment.ts';
import { TIME_LIMIT } from '../../server/imports/import-runner.ts';
import { WAIT } from '../../server/pdf/downloads.ts';

/** The samples are only parsed, because the tests can neither build images nor run a proxy. */
const FOLDER = 'server/deploy';

const read = (name: string) => readFile(name, 'utf8');
const PORT = readConfig({}).port;

/** The command of `npm start`. */
async function startCommand(): Promise<string> {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  return String(scripts.start).replace(/^exec node /, '');
}

test('the samples only set variables that the service reads', async () => {
  const others = /^(POSTGRES_(USER|PASSWORD|DB)|ENTRYPOINT|HEALTHCHECK|STOPSIGNAL|AF_\w+)$/;
  for (const name of await readdir(FOLDER)) {
    if (name.endsWith('.json')) continue;
    const text = await read(`${FOLDER}/${name}`);
    const named = [...text.matchAll(/(?<![$\w/])[A-Z]+_[A-Z_]+(?![\w/])/g)].map(([variable]) => variable);
    expect(
      named.filter((variable) => !others.test(variable) && !VARIABLES.includes(variable)),
      name,
    ).toEqual([]);
  }
});

test('every variable is documented', async () => {
  const docs = (await readdir('server/docs')).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(['README.md', ...docs.map((name) => `server/docs/${name}`)].map(read));
  expect(VARIABLES.filter((variable) => !texts.join().includes(`\`${variable}\``))).toEqual([]);
});

test('the image runs the same command as `npm start`, as a separate user', async () => {
  const dockerfile = await read(`${FOLDER}/Dockerfile`);
  const lastOf = (word: string) => dockerfile.split(`\n${word} `).at(-1)?.split('\n')[0] ?? '';
  const command = JSON.parse(lastOf('ENTRYPOINT')) as string[];
  expect(command.join(' ')).toBe(`node_modules/.bin/node ${await startCommand()}`);
  expect(lastOf('USER')).toBe('colophon');
  expect(lastOf('EXPOSE')).toBe(String(PORT));
  const settings = Object.fromEntries(
    lastOf('ENV')
      .split(' ')
      .map((pair) => pair.split('=')),
  );
  expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(settings)));
  expect(readConfig(settings)).toMatchObject({ host: '0.0.0.0', port: PORT, dataDir: lastOf('VOLUME') });
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const sent = (await read(`${FOLDER}/Dockerfile.dockerignore`))
    .split('\n')
    .filter((line) => line.startsWith('!'));
  expect(sent.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort());
  for (const name of copied) expect(existsSync(name), name).toBe(true);
  expect(copied).toContain('LICENSE');
  expect(await read('server/http/health.ts')).toContain(`app.get('/healthz'`);
  expect(dockerfile).toMatch(/\{process\.env\.PORT\}\/healthz/);
});

interface Compose {
  services: Record<
    string,
    {
      image: string;
      build?: { context: string; dockerfile: string };
      profiles: string[];
      command?: string[];
      ports?: string[];
      environment: Record<string, string>;
      volumes: string[];
      depends_on?: Record<string, unknown>;
    }
  >;
  volumes: Record<string, unknown>;
}

test('the compose file starts the service with the embedded database, or with a separate one', async () => {
  // With the defaults of variables that it takes from the environment.
  const text = (await read(`${FOLDER}/compose.yaml`)).replace(/\$\{\w+:-(.*?)\}/g, '$1');
  const { services, volumes } = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;
  for (const [name, service] of Object.entries(services)) {
    for (const volume of service.volumes) expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
    for (const other of Object.keys(service.depends_on ?? {}))
      expect(services[other]?.profiles, name).toEqual(service.profiles);
    if (!service.build) continue;
    expect(`${service.build.context}/${service.build.dockerfile}`).toBe(`../../${FOLDER}/Dockerfile`);
    expect(service.volumes.join()).toMatch(/:\/data$/);
    expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(service.environment)));
    const config = readConfig(service.environment);
    expect(config.databaseUrl !== undefined, name).toBe(service.profiles.includes('external'));
    if (service.command) expect(service.command).toEqual(['worker']);
    else expect(service.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
  }
  const { web, worker, postgres } = services;
  const url = new URL(readConfig(web?.environment).databaseUrl as string);
  expect([url.username, url.hostname, url.pathname]).toEqual([
    postgres?.environment.POSTGRES_USER,
    'postgres',
    `/${postgres?.environment.POSTGRES_DB}`,
  ]);
  expect(worker?.environment).toEqual(web?.environment);
  expect(readConfig(web?.environment).runsJobs).toBe(false);
});

test('the unit runs the same command as `npm start`, and waits long enough for it to stop', async () => {
  const unit = await read(`${FOLDER}/colophon.service`);
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  const folder = setting('WorkingDirectory');
  expect(setting('ExecStart')).toBe(`${folder}/node_modules/.bin/node ${await startCommand()}`);
  const [variable = '', value = ''] = setting('Environment').split('=');
  expect(VARIABLES).toContain(variable);
  expect(value).toBe(`/var/lib/${setting('StateDirectory')}`);
  const [, limit] = /STOP_LIMIT = (\d+);/.exec(await read('server/service.ts')) ?? [];
  expect(Number(setting('TimeoutStopSec')) * 1000).toBeGreaterThan(Number(limit));
});

test.for([
  ['nginx.conf', 'client_max_body_size 50m;'],
  ['Caddyfile', 'max_size 50MiB'],
])(
  'the proxy in %s forwards to the port of the service, and accepts its largest bodies',
  async ([name, limit]) => {
    const text = await read(`${FOLDER}/${name}`);
    const addresses = [...text.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
    expect(new Set(addresses)).toEqual(new Set([PORT]));
    expect(UPLOAD_LIMIT).toBe(50 * 1024 * 1024);
    expect(text).toContain(limit);
    const [, settings = ''] = /with (PUBLIC_URL=\S+ and TRUST_PROXY=\w+)/.exec(text) ?? [];
    expect(
      readConfig(Object.fromEntries(settings.split(' and ').map((pair) => pair.split('=')))),
    ).toMatchObject({
      publicUrl: 'https://docs.example.com',
      trustedProxies: 1,
    });
  },
);

test('nginx waits longer than the service takes to respond to an import or the download of a PDF', async () => {
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(await read(`${FOLDER}/nginx.conf`)) ?? [];
  expect(Number(seconds) * 1000).toBeGreaterThan(Math.max(TIME_LIMIT, WAIT.time) + 30_000);
});
