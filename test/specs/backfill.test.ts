import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEarlierSpecs } from '../../routers/specs/backfill.operation.ts';
import { toolContext } from '../../server/context.ts';
import { publishSpec } from '../content/published-spec.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const HTML = 'x-gitbook-description-html';

test('versions that were stored without HTML descriptions get them once, with their outline', async () => {
  const { id: organization, admin } = await service.build.organization();
  const api = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1', description: 'The *API*' },
    paths: { '/a': { get: { summary: 'One' } } },
  };
  const { version } = await publishSpec(service, organization, 'pets', api);
  const { database, services } = service.runtime;
  const path = `/orgs/${organization}/openapi/pets/versions/${version}/content`;
  const infoOf = async () => (await service.as(admin.token).get(path)).body.filesystem[0].specification.info;
  expect(await infoOf()).toMatchObject({ [HTML]: '<p>The <em>API</em></p>' });

  const bytes = Buffer.from(JSON.stringify(api));
  const document = hash('sha256', bytes);
  await services.storage.put(document, bytes);
  const setDocument = () =>
    database.db.updateTable('openapi_spec_version').set({ document }).where('id', '=', version).execute();
  await setDocument();
  expect(await infoOf()).not.toHaveProperty([HTML]);

  const context = toolContext(database, services);
  await describeEarlierSpecs(context);
  expect(await infoOf()).toMatchObject({ [HTML]: '<p>The <em>API</em></p>' });
  // Later runs do nothing.
  await setDocument();
  await describeEarlierSpecs(context);
  expect(await infoOf()).not.toHaveProperty([HTML]);
});
