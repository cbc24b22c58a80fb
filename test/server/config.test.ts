import { isAbsolute } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, publicUrlOf, readConfig } from '../../server/config.ts';
import { misspeltVariables } from '../../server/misspelt-variables.ts';

test('every variable is optional', () => {
  const config = readConfig({});
  expect(config).toMatchObject({ port: 3000, host: '127.0.0.1', databaseUrl: undefined, rateLimit: 0 });
  expect(isAbsolute(config.dataDir)).toBe(true);
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', PUBLIC_URL: '', BOOTSTRAP_TOKEN: '' })).toEqual(readConfig({}));
});

test('trailing slashes of the base URL are removed', () => {
  expect(readConfig({ PUBLIC_URL: 'https://docs.example.com/base//' }).publicUrl).toBe(
    'https://docs.example.com/base',
  );
});

test('the database URL may name a host or a socket folder, also encoded as the host', () => {
  for (const url of [
    'postgres://user:p%40ss@db.example.com:6432/colophon?sslmode=require',
    'postgresql:///colophon?host=/var/run/postgresql',
    'postgres://user@%2Fvar%2Frun%2Fpostgresql/colophon',
  ]) {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  }
});

test('the service listens on one address, also if HOST is localhost', () => {
  expect(readConfig({ HOST: 'localhost' }).host).toBe('127.0.0.1');
  expect(readConfig({ HOST: '::1' }).host).toBe('::1');
});

test.each([
  ['127.0.0.1', 'http://localhost:3000'],
  ['localhost', 'http://localhost:3000'],
  ['::1', 'http://localhost:3000'],
  ['0.0.0.0', 'http://localhost:3000'],
  ['::', 'http://localhost:3000'],
  ['10.0.0.7', 'http://10.0.0.7:3000'],
  ['127.0.0.5', 'http://127.0.0.5:3000'],
  ['fd00::7', 'http://[fd00::7]:3000'],
  ['docs.internal', 'http://docs.internal:3000'],
])('without PUBLIC_URL, a service that listens on %s has the URL %s', (HOST, url) => {
  expect(publicUrlOf(readConfig({ HOST }))).toBe(url);
  expect(publicUrlOf(readConfig({ HOST }), 4000)).toBe(url.replace('3000', '4000'));
  const PUBLIC_URL = 'https://docs.example.com';
  expect(publicUrlOf(readConfig({ HOST, PUBLIC_URL }))).toBe(PUBLIC_URL);
});

test('the name of a bucket must be valid, and the error says which names are', () => {
  for (const FILES_URL of ['s3://b', 's3://My_Bucket'])
    expect(() => readConfig({ FILES_URL })).toThrow('3 to 63 lower-case letters, digits, hyphens and dots');
  expect(() => readConfig({ FILES_URL: 's3://' })).toThrow('FILES_URL');
});

test('the sender of mail is one address, with or without a name', () => {
  const given = (MAIL_FROM: string) => readConfig({ SMTP_URL: 'smtp://localhost', MAIL_FROM }).mail?.from;
  for (const valid of ['a@b.example', 'Name <a@b.example>', '"Docs, Team" <a@b.example>', 'docs@localhost'])
    expect(given(valid)).toBe(valid);
  for (const invalid of [
    'nonsense',
    'Docs Team',
    'Docs <nobody>',
    'a@b.example, c@d.example',
    'team: a@b.example;',
    'a@b.example\r\nBcc: c@d.example',
  ])
    expect(() => given(invalid)).toThrow(/MAIL_FROM: must be/);
});

test.for([
  ['HTTPS://Docs.Example.com', 'https://docs.example.com'],
  ['https://docs.example.com:443/', 'https://docs.example.com'],
  ['http://docs.example.com:8080', 'http://docs.example.com:8080'],
] as const)('the public URL is written as browsers write it: %s', ([given, expected]) => {
  expect(readConfig({ PUBLIC_URL: given }).publicUrl).toBe(expected);
});

test('errors say which property of a provider is unknown, and what the number of proxies may be', () => {
  const provider = {
    name: 'a',
    issuer: 'https://a.example',
    clientId: 'b',
    clientSecret: 'c',
    signup: 'anyone',
  };
  expect(() => readConfig({ OIDC_PROVIDERS: JSON.stringify([provider]), TRUST_PROXY: 'yes' })).toThrow(
    /OIDC_PROVIDERS\.0: must not have the unknown property "signup"\s+TRUST_PROXY: must be true, false, or a number/,
  );
});

test('the number of proxies can be set', () => {
  const given = ['false', 'true', '0', '2', '10'].map(
    (value) => readConfig({ TRUST_PROXY: value }).trustedProxies,
  );
  expect(given).toEqual([0, 1, 0, 2, 10]);
});

test('the URL of a search engine names an index, and its credentials go into a header', () => {
  const given = 'https://admin:p%40ss@search.example.com:9200/colophon/';
  expect(readConfig({ SEARCH_URL: given }).search).toEqual({
    url: 'https://search.example.com:9200/colophon',
    authorization: `Basic ${Buffer.from('admin:p@ss').toString('base64')}`,
  });
  expect(readConfig({ SEARCH_URL: 'http://localhost:9200/docs' }).search).toEqual({
    url: 'http://localhost:9200/docs',
  });
});

test('identity providers are those in the list, and GitHub', () => {
  const provider = { name: 'acme', issuer: 'https://login.example', clientId: 'docs', clientSecret: 'x' };
  const { identityProviders } = readConfig({
    OIDC_PROVIDERS: JSON.stringify([provider, { ...provider, name: 'b', label: 'B', signUp: 'anyone' }]),
    GITHUB_CLIENT_ID: 'gh',
    GITHUB_CLIENT_SECRET: 'y',
    GITHUB_URL: 'https://github.example.com/',
  });
  expect(identityProviders).toEqual([
    { ...provider, kind: 'oidc', label: 'acme', signUp: 'invited' },
    { ...provider, kind: 'oidc', name: 'b', label: 'B', signUp: 'anyone' },
    {
      kind: 'github',
      name: 'github',
      label: 'GitHub',
      issuer: 'https://github.example.com',
      clientId: 'gh',
      clientSecret: 'y',
      signUp: 'invited',
    },
  ]);
  for (const given of [
    [{ ...provider, issuer: 'http://login.example' }],
    [{ ...provider, issuer: 'http://localhost.login.example' }],
    [{ ...provider, name: 'github' }],
    [{ ...provider, name: 'a/b' }],
    [{ ...provider, signup: 'anyone' }],
    [provider, provider],
  ])
    expect(() => readConfig({ OIDC_PROVIDERS: JSON.stringify(given) })).toThrow('OIDC_PROVIDERS');
  expect(() => readConfig({ GITHUB_CLIENT_ID: 'gh' })).toThrow('GITHUB_CLIENT_SECRET');
});

test('files are stored in a bucket if one is configured', () => {
  expect(readConfig({ AWS_ACCESS_KEY_ID: 'of another program' }).bucket).toBeUndefined();
  expect(readConfig({ FILES_URL: 's3://docs', AWS_REGION: 'eu-north-1' }).bucket).toEqual({
    bucket: 'docs',
    prefix: '',
    region: 'eu-north-1',
  });
  const full = {
    FILES_URL: 's3://docs/a/b/?region=auto&endpoint=https://s3.example.com',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  expect(readConfig(full).bucket).toEqual({
    bucket: 'docs',
    prefix: 'a/b/',
    region: 'auto',
    endpoint: 'https://s3.example.com',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  expect(() => readConfig({ ...full, AWS_SECRET_ACCESS_KEY: '' })).toThrow('AWS_SECRET_ACCESS_KEY');
});

test.each([
  ['FILES_URL', '/var/files'],
  ['FILES_URL', 's3://'],
  ['FILES_URL', 's3://key:secret@docs'],
  ['FILES_URL', 's3://docs/a b'],
  ['FILES_URL', 's3://docs?endpoint=s3.example.com'],
  ['FILES_URL', 's3://docs?secret=x'],
  ['OIDC_PROVIDERS', '{"secret'],
  ['SEARCH_URL', 'http://localhost:9200'],
  ['SEARCH_URL', 'http://localhost:9200/_all'],
  ['SEARCH_URL', 'http://localhost:9200/a/b'],
  ['SEARCH_URL', 'http://localhost:9200/a?b'],
  ['SEARCH_URL', 'http://user:%zz@localhost:9200/a'],
  ['SEARCH_URL', 'ftp://localhost/a'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3e3'],
  ['DATABASE_URL', 'mysql://localhost/colophon'],
  ['DATABASE_URL', 'postgres://localhost'],
  ['DATABASE_URL', 'colophon'],
  ['DATABASE_POOL', '1'],
  ['PUBLIC_URL', 'docs.example.com'],
  ['SITES_DOMAIN', 'https://sites.example.com'],
  ['SITES_DOMAIN', 'sites.example.com:8080'],
  ['SITES_DOMAIN', '10.0.0.1'],
  ['BOOTSTRAP_TOKEN', 'short'],
  ['BOOTSTRAP_TOKEN', `${'x'.repeat(40)} y`],
  ['METRICS_TOKEN', 'short'],
  ['LOG_LEVEL', 'loud'],
  ['RATE_LIMIT', 'some'],
  ['EVENT_RETENTION', '0'],
  ['TRUST_PROXY', 'yes'],
  ['TRUST_PROXY', '11'],
  ['PUBLIC_URL', 'https://docs.example.com/?a=b'],
  ['PUBLIC_URL', 'https://user:password@docs.example.com'],
  ['CORS_ORIGINS', 'https://docs.example.com/'],
  ['CORS_ORIGINS', 'docs.example.com'],
])('%s=%s is rejected, and the error names the variable', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^  ${name}: `, 'm'));
});

test('variables that look like misspelt settings are named, without their values', () => {
  const meant = (name: string) => misspeltVariables({ [name]: 'secret' });
  for (const [name, setting] of [
    ['PUBLIC_UR', 'PUBLIC_URL'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['PUBILC_URL', 'PUBLIC_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['data_dir', 'DATA_DIR'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['TRUST_PROXYS', 'TRUST_PROXY'],
    ['port', 'PORT'],
  ] as const)
    expect(meant(name)).toEqual([`${name} is not a setting, and is ignored: it looks like ${setting}`]);
  for (const name of ['PATH', 'POST', 'HOSTNAME', 'JOB', 'PGHOST', 'SHLVL', 'PUBLIC', 'PUBLIC_URL', 'DATA'])
    expect(meant(name)).toEqual([]);
  expect(misspeltVariables({ PUBLIC_URI: 'x', PUBLIC_URL: 'http://localhost', DATADIR: '' })).toEqual([]);
});
