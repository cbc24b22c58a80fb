import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildScene, type Scene } from '../audience/scene.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';
import type { Receiver } from './receiver.ts';
import { receiverStarter, startDeliveringService } from './scene.ts';

let service: TestService;
let scene: Scene;
let visitor: Client;
beforeAll(async () => {
  service = await startDeliveringService();
  scene = await buildScene(service);
  visitor = await scene.visitor();
});
afterAll(() => service.close());

const startReceiver = receiverStarter();

/** A webhook of a renderer, and its secret. */
async function renderer(receiver: Receiver, fields: object = {}): Promise<{ id: string; secret: string }> {
  const body = { url: receiver.url, format: 'revalidate', ...fields };
  return expectOk(scene.admin.post(`/orgs/${scene.organization}/webhooks`, body));
}

const tagsOf = (response: { headers: object }): string[] =>
  String((response.headers as Record<string, unknown>)['x-gitbook-cache-tag']).split(',');

const edit = (title: string) =>
  expectOk(scene.admin.post(`${scene.space.at}/content`, { changes: [{ operation: 'insert_page', title }] }));

test('an edit sends a renderer the tags of all responses of a site that depend on it', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await renderer(receiver);
  const { space, at } = scene;
  await edit('New');
  const [told] = await receiver.until(1);
  const { tags } = JSON.parse(told?.body ?? '');
  const { revision } = (await visitor.get(space.at)).body;
  const responses = [
    space.at,
    `${at}/published`,
    `${space.at}/revisions/${revision}?metadata=true`,
    `${space.at}/revisions/${revision}/page/${space.pages.Start}/document`,
    `${space.at}/revisions/${revision}/page/${space.pages.Start}?format=markdown`,
    `${space.at}/revisions/${revision}/files`,
    `${space.at}/embed?url=x`,
  ];
  for (const path of responses) {
    const response = await visitor.get(path);
    expect(response.status, path).toBe(200);
    expect(
      tagsOf(response).some((tag) => tags.includes(tag)),
      path,
    ).toBe(true);
  }
  // In the way that the renderer verifies it.
  const signature = createHmac('sha256', secret)
    .update(told?.body ?? '')
    .digest('hex');
  expect(told?.headers['x-gitbook-signature']).toBe(signature);
  await expectOk(scene.admin.patch(`/orgs/${scene.organization}/webhooks/${id}`, { enabled: false }));
});

test('an edit of a change request sends only the tag of the change request', async () => {
  const receiver = await startReceiver();
  const { id } = await renderer(receiver);
  const request = await expectOk(scene.admin.post(`${scene.space.at}/change-requests`, {}));
  const path = `${scene.space.at}/change-requests/${request.id}`;
  await expectOk(
    scene.admin.post(`${path}/content`, { changes: [{ operation: 'insert_page', title: 'Draft' }] }),
  );
  const received = await receiver.until(2);
  const tag = `space:${scene.space.id}:change-request:${request.id}`;
  for (const { body } of received) expect(JSON.parse(body)).toEqual({ tags: [tag] });
  expect(tagsOf(await scene.admin.get(path))).toContain(tag);
  await expectOk(scene.admin.post(`${path}/merge`));
  const merged = (await receiver.until(3)).at(-1);
  expect(JSON.parse(merged?.body ?? '').tags).toEqual(
    expect.arrayContaining([tag, `space:${scene.space.id}`, `site:${scene.site}`]),
  );
  await expectOk(scene.admin.patch(`/orgs/${scene.organization}/webhooks/${id}`, { enabled: false }));
});

test('a new version of an OpenAPI spec, and its deletion, send the tags of the pages that are made from it', async () => {
  const receiver = await startReceiver();
  const { id } = await renderer(receiver);
  const specs = `/orgs/${scene.organization}/openapi`;
  const tag = `organization:${scene.organization}:openapi:pets`;
  await expectOk(scene.admin.post(specs, { slug: 'pets', source: { text: petstore() } }));
  await processSpecs(service);
  await expectOk(scene.admin.patch(`${specs}/pets`, { visibility: 'public' }));
  const received = await receiver.until(3);
  for (const { body } of received) expect(JSON.parse(body)).toEqual({ tags: [tag] });
  expect(tagsOf(await visitor.get(`${specs}/pets/versions/latest/content`))).toContain(tag);
  const computed = {
    type: 'builtin:openapi',
    props: { models: true },
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'pets' } } },
  };
  const changes = [{ operation: 'insert_page', title: 'API', type: 'computed', computed }];
  await expectOk(scene.admin.post(`${scene.space.at}/content`, { changes }));
  expect(tagsOf(await visitor.get(`${scene.space.at}/content/pages`))).toContain(tag);
  await receiver.until(4);
  expect((await scene.admin.delete(`${specs}/pets?force=true`)).status).toBe(205);
  expect(JSON.parse((await receiver.until(5)).at(-1)?.body ?? '')).toEqual({ tags: [tag] });
  await expectOk(scene.admin.patch(`/orgs/${scene.organization}/webhooks/${id}`, { enabled: false }));
});

test('changes that no reader sees send nothing to a renderer, and a test delivery has no tags', async () => {
  const receiver = await startReceiver();
  const { id } = await renderer(receiver);
  const webhook = `/orgs/${scene.organization}/webhooks/${id}`;
  await expectOk(scene.admin.post(`${scene.space.at}/comments`, { body: { markdown: 'Well done.' } }));
  await expectOk(scene.admin.post(`${webhook}/test`));
  const [first] = await receiver.until(1);
  expect(JSON.parse(first?.body ?? '')).toEqual({ tags: [] });
  expect((await expectOk(scene.admin.get(`${webhook}/deliveries`))).items).toMatchObject([
    { type: 'revalidate' },
  ]);
  await expectOk(scene.admin.patch(webhook, { enabled: false }));
});

test('a renderer gets tags only for the events that its webhook subscribes to', async () => {
  const receiver = await startReceiver();
  const { id } = await renderer(receiver, { types: ['site.updated'] });
  await edit('Not told');
  await expectOk(scene.admin.patch(scene.at, { title: 'Manual' }));
  const [first] = await receiver.until(1);
  expect(JSON.parse(first?.body ?? '')).toEqual({ tags: [`site:${scene.site}`] });
  await expectOk(scene.admin.patch(`/orgs/${scene.organization}/webhooks/${id}`, { enabled: false }));
});
