import { afterAll, beforeAll, expect, test } from 'vitest';
import { LimitExceeded } from '../../routers/engine/errors.ts';
import { SHOWN_SPEC_LIMIT } from '../../routers/engine/specs/limits.ts';
import { type Engine, localEngine } from '../../routers/engine/tasks/engine.ts';
import { readShownDocument } from '../../routers/specs/shown-documents.query.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { countingEngine, petstore, storeDocument } from '../helpers/specs.ts';

let service: TestService;
let admin: Client;
let space: string;
beforeAll(async () => {
  service = await startTestService();
  const owner = await service.build.organization();
  admin = service.as(owner.admin.token);
  ({ id: space } = await expectOk(admin.post(`/orgs/${owner.id}/spaces`, {})));
});
afterAll(() => service.close());

const store = (text: string): Promise<string> => storeDocument(service, text);

const read = (engine: Engine, sha256: string) =>
  readShownDocument({ storage: service.runtime.services.storage, engine }, sha256);

test('the document of a file is parsed once for all readers', async () => {
  const sha256 = await store(petstore('Parsed once'));
  const { engine, tasks } = countingEngine();
  const documents = await Promise.all([read(engine, sha256), read(engine, sha256)]);
  expect(new Set([...documents, await read(engine, sha256)]).size).toBe(1);
  expect(JSON.parse(documents[0] as string)).toMatchObject({ info: { title: 'Parsed once' } });
  expect(tasks()).toBe(1);
});

test('a file that is no OpenAPI document, or takes too long, has none', async () => {
  for (const text of ['Text.', 'a: [', '{"info": {}}'])
    expect(await read(localEngine, await store(text))).toBeNull();
  const { engine } = countingEngine(new LimitExceeded('unavailable', 'It takes too long.'));
  expect(await read(engine, await store(petstore('Slow')))).toBeNull();
});

test('a document that is larger than pages can show is not read', async () => {
  const sized = (length: number) => JSON.stringify({ openapi: '3.1.0', 'x-padding': 'x'.repeat(length) });
  expect(await read(localEngine, await store(sized(SHOWN_SPEC_LIMIT - 1000)))).not.toBeNull();
  expect(await read(localEngine, await store(sized(SHOWN_SPEC_LIMIT)))).toBeNull();
});

test('a failure is not kept', async () => {
  const sha256 = await store(petstore('Failing'));
  await expect(read(countingEngine(new Error('lost')).engine, sha256)).rejects.toThrow('lost');
  expect(await read(localEngine, sha256)).toContain('Failing');
});

test('renderers can read the OpenAPI document in a file of a revision', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const yaml = 'swagger: "2.0"\npaths: {/a: {get: {description: "A *b*", $ref: "other.yaml"}}}\n';
  const files = [
    { name: 'api.yaml', base64: base64(yaml) },
    { name: 'notes.txt', base64: base64('Notes.') },
  ];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [{ operation: 'insert_files', files }] }));
  const { revision } = await expectOk(admin.get(`/spaces/${space}`));
  const at = `/spaces/${space}/revisions/${revision}/files`;
  const { items } = await expectOk(admin.get(at));
  const specIn = async (name: string) => {
    const { id } = items.find((file: { name: string }) => file.name === name);
    return (await expectOk(admin.get(`${at}/${id}/openapi`))).specification;
  };
  expect(await specIn('api.yaml')).toEqual({
    swagger: '2.0',
    paths: {
      '/a': {
        get: {
          description: 'A *b*',
          $ref: 'other.yaml',
          'x-gitbook-description-html': '<p>A <em>b</em></p>',
        },
      },
    },
  });
  expect(await specIn('notes.txt')).toBeNull();
  expect((await admin.get(`${at}/missing/openapi`)).status).toBe(404);
});
