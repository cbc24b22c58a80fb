import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink } from '@trpc/client';
import superjson from 'superjson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppRouter } from '../../routers/index.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';

let service: TestService;
let url: string;
let token: string;
let ids: { organizationId: string; specSlug: string };
beforeAll(async () => {
  service = await startTestService();
  url = `${await service.app.listen({ port: 0, host: '127.0.0.1' })}/trpc`;
  const { id, admin } = await service.build.organization({ title: 'Acme' });
  token = admin.token;
  ids = { organizationId: id, specSlug: 'pets' };
});
afterAll(() => service.close());

describe.each([
  ['one call', httpLink],
  ['a batch', httpBatchLink],
  ['a streamed batch', httpBatchStreamLink],
] as const)('specs in %s of a tRPC client', (_, link) => {
  test('specs are published and read', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [link({ url, transformer: superjson, headers: { authorization: `Bearer ${token}` } })],
    });
    // A procedure that accepts large bodies does not accept batches.
    const single = createTRPCClient<AppRouter>({
      links: [httpLink({ url, transformer: superjson, headers: { authorization: `Bearer ${token}` } })],
    });
    await single.specs.put.mutate({ ...ids, source: { text: petstore() } });
    await processSpecs(service);
    const [version, content, raw] = await Promise.all([
      client.latestSpecVersion.get.query(ids),
      client.latestSpecVersion.content.query(ids),
      client.latestSpecVersion.raw.query(ids),
    ]);
    expect(version.operations).toBe(1);
    expect(content.filesystem[0]?.specification).toEqual(JSON.parse(petstore()));
    expect(content.url).toContain('/files/');
    expect(raw).toBe(petstore());
  });
});

test('a large spec is published in one call of a tRPC client', async () => {
  const client = createTRPCClient<AppRouter>({
    links: [httpLink({ url, transformer: superjson, headers: { authorization: `Bearer ${token}` } })],
  });
  const text = petstore('é'.repeat(500_000));
  await client.specs.put.mutate({ ...ids, source: { text } });
  await processSpecs(service);
  expect(await client.latestSpecVersion.raw.query(ids)).toBe(text);
});
