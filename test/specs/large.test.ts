import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A document of about this many bytes. */
const documentOf = (size: number) => petstore('é'.repeat(size / 2));

test('OpenAPI specs are accepted up to 20 MB', async () => {
  const { id, admin } = await service.build.organization();
  const client = service.as(admin.token);
  const path = `/orgs/${id}/openapi/large`;
  const text = documentOf(19_000_000);
  await client.put(path, { source: { text } });
  await processSpecs(service);
  const { body: spec } = await client.get(path);
  expect(spec).toMatchObject({ processingState: 'complete' });
  expect(spec.lastProcessedErrors).toBeUndefined();
  const raw = await service.app.inject({
    url: `/v1${path}/versions/latest/content/raw`,
    headers: { authorization: `Bearer ${admin.token}` },
  });
  expect(raw.body === text).toBe(true);
  const tooLarge = await client.put(path, { source: { text: documentOf(21_500_000) } });
  expect(tooLarge.status).toBe(400);
  expect(tooLarge.body.error.details).toEqual([{ path: 'source.text', message: expect.any(String) }]);
  const farTooLarge = await client.put(path, { source: { text: 'a'.repeat(50_000_000) } });
  expect(farTooLarge.status).toBe(413);
});
