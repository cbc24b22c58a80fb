import { processSpec } from '../../routers/specs/processing.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { TestService } from './service.ts';

/** Runs the jobs of all specifications that wait for one, as the queue does. */
export async function processSpecs({ runtime: { database, services } }: TestService): Promise<void> {
  const waiting = await database.db
    .selectFrom('openapi_spec')
    .select(['id as spec', 'processing'])
    .where('processing_state', '<>', 'complete')
    .execute();
  await Promise.all(waiting.map((job) => processSpec(jobContext(database, services), job)));
}

/** A small OpenAPI document as JSON. */
export const petstore = (title = 'Pets', paths: object = { '/pets': { get: { summary: 'List pets' } } }) =>
  JSON.stringify({ openapi: '3.1.0', info: { title, version: '1' }, paths });
