import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectGarbage } from '../../routers/content/garbage.operation.ts';
import { processSpec } from '../../routers/specs/processing.operation.ts';
import { findSpecVersions } from '../../routers/specs/versions.query.ts';
import { jobContext } from '../../server/context.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';

let service: TestService;
let admin: Client;
let base: string;
let organization: string;
beforeAll(async () => {
  service = await startTestService({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  const made = await service.build.organization({ title: 'Acme' });
  organization = made.id;
  admin = service.as(made.admin.token);
  base = `/orgs/${made.id}/openapi`;
});
afterAll(() => service.close());

const publish = async (slug: string, text: string) => {
  const response = await admin.put(`${base}/${slug}`, { source: { text } });
  await processSpecs(service);
  return response;
};

describe('OpenAPI specs', () => {
  test('OpenAPI specs are created pending, and have a version once processed', async () => {
    const created = await admin.post(base, { slug: 'pets', source: { text: petstore() } });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      object: 'openapi-spec',
      slug: 'pets',
      processingState: 'pending',
      visibility: 'private',
      permissions: { view: true, edit: true },
      urls: { location: `http://docs.test/v1${base}/pets` },
    });
    expect(created.body.lastVersion).toBeUndefined();
    expect((await admin.get(`${base}/pets/versions/latest`)).status).toBe(404);

    await processSpecs(service);
    const { body: spec } = await admin.get(`${base}/pets`);
    expect(spec).toMatchObject({ processingState: 'complete', lastProcessedAt: expect.any(String) });
    expect(spec.lastProcessErrorCode).toBeUndefined();
    const { body: version } = await admin.get(`${base}/pets/versions/latest`);
    expect(version).toMatchObject({ object: 'openapi-spec-version', id: spec.lastVersion, operations: 1 });
    expect((await admin.get(`${base}/pets/versions/${version.id}`)).body).toEqual(version);
    expect((await admin.get(base)).body.items).toEqual([spec]);
  });

  test('versions of OpenAPI specs have content, and the document as it was received', async () => {
    const text = `# A comment\nopenapi: 3.0.3\ninfo: {title: Birds, version: '1'}\npaths:\n  /birds:\n    get: {}\n`;
    await publish('birds', text);
    const versions = `${base}/birds/versions`;
    const content = await admin.get(`${versions}/latest/content`);
    expect(content.body).toEqual({
      url: expect.stringContaining('http://docs.test/files/'),
      urls: { source: content.body.url, public: null },
      filesystem: [
        {
          dir: '.',
          isEntrypoint: true,
          references: [],
          filename: 'openapi.json',
          specification: {
            openapi: '3.0.3',
            info: { title: 'Birds', version: '1' },
            paths: { '/birds': { get: {} } },
          },
        },
      ],
    });
    const headers = { 'if-none-match': String(content.headers.etag), 'cache-control': 'no-cache' };
    expect((await admin.get(`${versions}/latest/content`, headers)).status).toBe(304);
    const { body: spec } = await admin.patch(`${base}/birds`, { visibility: 'public' });
    const open = await admin.get(`${versions}/latest/content`, headers);
    expect(open.body.urls).toMatchObject({ public: spec.urls.published });
    expect((await service.app.inject(new URL(spec.urls.published).pathname)).statusCode).toBe(200);

    const { body: version } = await admin.get(`${versions}/latest`);
    const { token } = (await service.build.organization({ title: 'Other' })).admin;
    const raw = await service.app.inject({
      url: `/v1${versions}/${version.id}/content/raw`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(raw.statusCode).toBe(404);
    const { pathname, search } = new URL(version.url);
    const download = await service.app.inject({ url: pathname + search });
    expect(download.body).toBe(text);
  });

  test('OpenAPI specs get a new version only when their content changed', async () => {
    await publish('fish', petstore('Fish'));
    await publish('fish', petstore('Fish'));
    const versions = async () => (await admin.get(`${base}/fish/versions`)).body;
    expect((await versions()).count).toBe(1);
    await publish('fish', petstore('Fishes'));
    const { count, items } = await versions();
    expect(count).toBe(2);
    expect(items[0].id).toBe((await admin.get(`${base}/fish`)).body.lastVersion);
    const older = await admin.get(`${base}/fish/versions/${items[1].id}/content`);
    expect(older.body.filesystem[0].specification.info.title).toBe('Fish');
  });

  test('OpenAPI specs have versions of their own', async () => {
    await publish('mine', petstore('Mine'));
    await publish('yours', petstore('Yours'));
    const { lastVersion } = (await admin.get(`${base}/yours`)).body;
    for (const part of ['', '/content', '/content/raw'])
      expect((await admin.get(`${base}/mine/versions/${lastVersion}${part}`)).status).toBe(404);
  });

  test('OpenAPI specs keep the last good version when processing fails', async () => {
    await publish('cats', petstore('Cats'));
    const { lastVersion } = (await admin.get(`${base}/cats`)).body;
    await publish('cats', '{"openapi": "3.1.0",\n "openapi": "3.1.0"}');
    const { body: spec } = await admin.get(`${base}/cats`);
    expect(spec).toMatchObject({
      processingState: 'complete',
      lastVersion,
      lastProcessErrorCode: 'PARSE_ERROR',
      lastProcessedErrors: [
        { code: 'PARSE_ERROR', message: 'The key is duplicated.', path: '/openapi', line: 2 },
      ],
    });
    await publish('cats', petstore('Cats'));
    const { body: again } = await admin.get(`${base}/cats`);
    expect(again.lastVersion).toBe(lastVersion);
    expect(again.lastProcessErrorCode).toBeUndefined();
    expect(again.lastProcessedErrors).toBeUndefined();
  });

  test('OpenAPI specs can be read by anyone if they are public', async () => {
    await publish('open', petstore('Open'));
    const url = `/openapi/${organization}/open`;
    expect((await service.app.inject({ url })).statusCode).toBe(404);
    const { body: spec } = await admin.patch(`${base}/open`, { visibility: 'public' });
    expect(spec.urls.published).toBe(`http://docs.test${url}`);
    const response = await service.app.inject({ url });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe(petstore('Open'));
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const head = await service.app.inject({ method: 'HEAD', url });
    expect(head.headers['content-length']).toBe(String(petstore('Open').length));
    const fresh = await service.app.inject({
      url,
      headers: { 'if-none-match': String(response.headers.etag) },
    });
    expect(fresh.statusCode).toBe(304);
    await admin.patch(`${base}/open`, { visibility: 'private' });
    expect((await service.app.inject({ url })).statusCode).toBe(404);
    expect((await service.app.inject({ url: `/openapi/${organization}/none` })).statusCode).toBe(404);
  });

  test('OpenAPI specs are deleted with their versions', async () => {
    await publish('gone', petstore());
    expect((await admin.delete(`${base}/gone`)).status).toBe(205);
    expect((await admin.delete(`${base}/gone`)).status).toBe(204);
    expect((await admin.get(`${base}/gone`)).status).toBe(404);
    expect((await admin.get(`${base}/gone/versions/latest/content`)).status).toBe(404);
  });

  test.each([
    ['no source', { slug: 'a' }],
    ['an empty source', { slug: 'a', source: {} }],
    ['a URL and a text', { slug: 'a', source: { url: 'https://example.com', text: petstore() } }],
    ['an empty text', { slug: 'a', source: { text: '' } }],
    ['a text that is no string', { slug: 'a', source: { text: {} } }],
    ['an FTP URL', { slug: 'a', source: { url: 'ftp://example.com/a' } }],
    ['a URL that is too long', { slug: 'a', source: { url: `https://example.com/${'a'.repeat(2048)}` } }],
    ['a URL in a private network', { slug: 'a', source: { url: 'http://10.0.0.1/' } }],
    ['a URL with a password', { slug: 'a', source: { url: 'https://me:secret@example.com/' } }],
    ['no slug', { source: { text: petstore() } }],
    ['an empty slug', { slug: '', source: { text: petstore() } }],
    ['a slug with a slash', { slug: 'a/b', source: { text: petstore() } }],
    ['a slug with two hyphens in a row', { slug: 'a--b', source: { text: petstore() } }],
    ['a slug that begins with a hyphen', { slug: '-a', source: { text: petstore() } }],
    ['a slug that is too long', { slug: 'a'.repeat(101), source: { text: petstore() } }],
  ])('OpenAPI specs are refused with %s', async (_, body) => {
    expect((await admin.post(base, body)).status).toBe(400);
  });

  test('OpenAPI specs have slugs that are unique in their organization', async () => {
    await publish('unique', petstore());
    const again = await admin.post(base, { slug: 'unique', source: { text: petstore() } });
    expect(again.status).toBe(409);
    const other = await service.build.organization({ title: 'Other' });
    const elsewhere = await service
      .as(other.admin.token)
      .post(`/orgs/${other.id}/openapi`, { slug: 'unique', source: { text: petstore() } });
    expect(elsewhere.status).toBe(201);
    const foreign = await service.as(other.admin.token).get(`/orgs/${other.id}/openapi/pets`);
    expect(foreign.status).toBe(404);
    expect((await admin.put(`${base}/not_valid`, { source: { text: petstore() } })).status).toBe(400);
  });

  test('OpenAPI specs that were uploaded as text cannot be fetched again', async () => {
    await publish('fixed', petstore());
    expect((await admin.post(`${base}/fixed/refresh`)).status).toBe(409);
  });
});

test('readers can read OpenAPI specs, and only creators can publish them', async () => {
  await publish('shared', petstore());
  const as = async (role: Parameters<TestService['build']['member']>[1]) =>
    service.as((await service.build.member(organization, role)).token);
  const reader = await as('read');
  const { body } = await reader.get(`${base}/shared`);
  expect(body.permissions).toEqual({ view: true, edit: false });
  expect((await reader.get(`${base}/shared/versions/latest/content`)).status).toBe(200);
  expect((await reader.put(`${base}/shared`, { source: { text: petstore() } })).status).toBe(403);
  expect((await reader.delete(`${base}/shared`)).status).toBe(403);
  const creator = await as('create');
  expect((await creator.put(`${base}/shared`, { source: { text: petstore() } })).status).toBe(200);
  const guest = await as(null);
  expect((await guest.get(`${base}/shared`)).status).toBe(403);
  const stranger = service.as((await service.build.organization({ title: 'Strangers' })).admin.token);
  expect((await stranger.get(`${base}/shared`)).status).toBe(404);
  expect((await service.as().get(`${base}/shared`)).status).toBe(401);
});

test('changes of OpenAPI specs are recorded as events', async () => {
  // What other tests have left to process would be among them.
  await processSpecs(service);
  await publish('told', petstore());
  await admin.patch(`${base}/told`, { visibility: 'public' });
  await publish('told', petstore());
  await publish('told', '{');
  await admin.delete(`${base}/told`);
  const { body } = await admin.get(`/orgs/${organization}/events?limit=8`);
  expect(body.items.map(({ type }: { type: string }) => type)).toEqual([
    'openapi_spec.deleted',
    'openapi_spec.processed',
    'openapi_spec.updated',
    'openapi_spec.processed',
    'openapi_spec.updated',
    'openapi_spec.updated',
    'openapi_spec.processed',
    'openapi_spec.version.created',
  ]);
  expect(body.items[1]).toMatchObject({ errorCode: 'PARSE_ERROR', spec: expect.any(String) });
});

test('an OpenAPI spec is processed once, however often its job runs', async () => {
  await admin.put(`${base}/once`, { source: { text: petstore() } });
  await Promise.all([processSpecs(service), processSpecs(service), processSpecs(service)]);
  expect((await admin.get(`${base}/once/versions`)).body.count).toBe(1);
  const { body } = await admin.get(`/orgs/${organization}/events?limit=3`);
  expect(body.items.map(({ type }: { type: string }) => type)).toEqual([
    'openapi_spec.processed',
    'openapi_spec.version.created',
    'openapi_spec.created',
  ]);
});

test('concurrent requests that create the same OpenAPI spec all succeed', async () => {
  const put = (title: string) => admin.put(`${base}/at-once`, { source: { text: petstore(title) } });
  const responses = await Promise.all(['One', 'Two', 'Three'].map(put));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  await processSpecs(service);
  expect((await admin.get(`${base}/at-once/versions`)).body.count).toBe(1);
});

test('the last request to process an OpenAPI spec wins, whatever an earlier one still does', async () => {
  const { body: spec } = await admin.put(`${base}/raced`, { source: { text: petstore('First') } });
  const { database, services } = service.runtime;
  const reading = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const storage = {
    ...services.storage,
    async read(sha256: string) {
      reading.resolve();
      await changed.promise;
      return services.storage.read(sha256);
    },
  };
  const first = processSpec(jobContext(database, { ...services, storage }), {
    spec: spec.id,
    processing: 1,
  });
  await reading.promise;
  await admin.put(`${base}/raced`, { source: { text: petstore('Second') } });
  changed.resolve();
  await first;
  expect((await admin.get(`${base}/raced`)).body.processingState).toBe('pending');
  await processSpecs(service);
  const { body } = await admin.get(`${base}/raced/versions/latest/content`);
  expect(body.filesystem[0].specification.info.title).toBe('Second');
});

test('the files of OpenAPI specs are kept as long as they are used', async () => {
  // The text and the document made from it are different files.
  await publish('kept', `${petstore('Kept')}\n`);
  const { database, services } = service.runtime;
  const content = () => admin.get(`${base}/kept/versions/latest/content`);
  await collectGarbage({ db: database.db, services }, { graceSeconds: -60 });
  expect((await content()).status).toBe(200);
  const { document } = await database.db
    .selectFrom('openapi_spec_version')
    .innerJoin('openapi_spec', 'openapi_spec.last_version_id', 'openapi_spec_version.id')
    .select('document')
    .where('slug', '=', 'kept')
    .executeTakeFirstOrThrow();
  await admin.delete(`${base}/kept`);
  await collectGarbage({ db: database.db, services }, { graceSeconds: -60 });
  expect(await services.storage.size(document)).toBeUndefined();
});

test('content finds versions by the slug or id of a spec', async () => {
  await publish('found', petstore('Old'));
  await publish('found', petstore('New'));
  const { id, lastVersion } = (await admin.get(`${base}/found`)).body;
  const [, { id: older }] = (await admin.get(`${base}/found/versions`)).body.items;
  const { database } = service.runtime;
  const found = await findSpecVersions(database.db, organization, [
    { spec: 'found' },
    { spec: id },
    { spec: 'found', version: older },
    { spec: 'found', version: 'none' },
    { spec: 'none' },
  ]);
  expect(found.map((one) => one?.version.id)).toEqual([
    lastVersion,
    lastVersion,
    older,
    undefined,
    undefined,
  ]);
  const { body } = await admin.get(`${base}/found/versions/${found[2]?.version.id}/content`);
  expect(body.filesystem[0].specification.info.title).toBe('Old');
  expect(await findSpecVersions(database.db, 'another organization', [{ spec: 'found' }])).toEqual([
    undefined,
  ]);
});
