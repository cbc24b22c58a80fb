import { expect, test, vi } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { openDatabaseSource } from '../../server/database/database-source.ts';
import { makeFolder } from '../helpers/folders.ts';
import { silentLogger } from '../helpers/logger.ts';

const connectionOf = async (DATABASE_URL: string) => {
  const config = readConfig({ DATABASE_URL, DATA_DIR: await makeFolder('data') });
  return (await openDatabaseSource(config, { role: 'service', logger: silentLogger })).connection;
};

test('a database URL may name a socket folder and session settings', async () => {
  expect(await connectionOf('postgres://jane:p%40ss@db.example.com:6432/docs')).toEqual({
    host: 'db.example.com',
    port: 6432,
    user: 'jane',
    password: 'p@ss',
    database: 'docs',
  });
  expect(
    await connectionOf('postgres:///docs?host=/run/postgresql&options=-c%20search_path%3Ddocs'),
  ).toMatchObject({ host: '/run/postgresql', database: 'docs', options: '-c search_path=docs' });
});

test('a database URL may name any mode of TLS, without warnings of the driver', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const tlsOf = async (mode: string) =>
    (await connectionOf(`postgres://db.example.com/docs?sslmode=${mode}`)).ssl;
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) expect(await tlsOf(mode)).toEqual({});
  expect(await tlsOf('no-verify')).toEqual({ rejectUnauthorized: false });
  expect(await tlsOf('disable')).toBe(false);
  expect(emitWarning).not.toHaveBeenCalled();
});
