import { isAbsolute } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../server/config.ts';

test('nothing has to be set', () => {
  const config = readConfig({});
  expect(config).toMatchObject({ port: 3000, host: '127.0.0.1', databaseUrl: undefined, rateLimit: 0 });
  expect(isAbsolute(config.dataDir)).toBe(true);
});

test('an empty variable counts as not set', () => {
  expect(readConfig({ PORT: '', PUBLIC_URL: '', BOOTSTRAP_TOKEN: '' })).toEqual(readConfig({}));
});

test('a base address is kept without slashes at its end', () => {
  expect(readConfig({ PUBLIC_URL: 'https://docs.example.com/base//' }).publicUrl).toBe(
    'https://docs.example.com/base',
  );
});

test('a database may be named by host, by socket folder, or both encoded in the address', () => {
  for (const url of [
    'postgres://user:p%40ss@db.example.com:6432/colophon?sslmode=require',
    'postgresql:///colophon?host=/var/run/postgresql',
    'postgres://user@%2Fvar%2Frun%2Fpostgresql/colophon',
  ]) {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  }
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3e3'],
  ['DATABASE_URL', 'mysql://localhost/colophon'],
  ['DATABASE_URL', 'postgres://localhost'],
  ['DATABASE_URL', 'colophon'],
  ['DATABASE_POOL', '1'],
  ['PUBLIC_URL', 'docs.example.com'],
  ['BOOTSTRAP_TOKEN', 'short'],
  ['BOOTSTRAP_TOKEN', `${'x'.repeat(40)} y`],
  ['METRICS_TOKEN', 'short'],
  ['LOG_LEVEL', 'loud'],
  ['RATE_LIMIT', 'some'],
  ['EVENT_RETENTION', '0'],
  ['TRUST_PROXY', 'yes'],
])('%s=%s is refused by name', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^  ${name}: `, 'm'));
});
