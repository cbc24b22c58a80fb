import { hash } from 'node:crypto';
import { type Engine, localEngine } from '../../routers/engine/tasks/engine.ts';
import { processSpec } from '../../routers/specs/processing.operation.ts';
import { jobContext } from '../../server/context.ts';
import { type Client, startTestService, type TestService } from './service.ts';

/** Starts a service with an organization and its admin; `base` is the path of its OpenAPI specs. */
export async function startSpecService(): Promise<{ service: TestService; admin: Client; base: string }> {
  const service = await startTestService();
  const { id, admin } = await service.build.organization({ title: 'Acme' });
  return { service, admin: service.as(admin.token), base: `/orgs/${id}/openapi` };
}

/** Stores an OpenAPI document as a file. @returns its hash */
export async function storeDocument({ runtime }: TestService, text: string): Promise<string> {
  const sha256 = hash('sha256', text);
  await runtime.services.storage.put(sha256, Buffer.from(text));
  return sha256;
}

/** An engine that counts its tasks, and can make them all fail. */
export function countingEngine(failure?: Error) {
  let tasks = 0;
  const engine: Engine = {
    run(name, input, reader) {
      tasks++;
      return failure ? Promise.reject(failure) : localEngine.run(name, input, reader);
    },
  };
  return { engine, tasks: () => tasks };
}

/** Runs the jobs of all unprocessed OpenAPI specs, as the queue does. */
export async function processSpecs({ runtime: { database, services } }: TestService): Promise<void> {
  const waiting = await database.db
    .selectFrom('openapi_spec')
    .select(['id as spec', 'processing'])
    .where('processing_state', '<>', 'complete')
    .execute();
  await Promise.all(waiting.map((job) => processSpec(jobContext(database, services), job)));
}

/** A small OpenAPI spec as JSON. */
export const petstore = (title = 'Pets', paths: object = { '/pets': { get: { summary: 'List pets' } } }) =>
  JSON.stringify({ openapi: '3.1.0', info: { title, version: '1' }, paths });
