import { hash } from 'node:crypto';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import type { TestService } from '../helpers/service.ts';

/** An OpenAPI document with these operations: `{'get /pets': {summary: 'List pets'}}`. */
export function apiWith(operations: Record<string, object>, others: object = {}) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method]: operation };
  }
  return { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths, ...others };
}

/** Makes a document the latest version of a specification, which is created if there is none. */
export async function publishSpec(
  { runtime }: TestService,
  organization: string,
  slug: string,
  document: object,
): Promise<{ spec: string; version: string }> {
  const { database, services } = runtime;
  const text = JSON.stringify(document);
  const sha256 = hash('sha256', text);
  await services.storage.put(sha256, Buffer.from(text));
  return database.transaction(async (em) => {
    const spec =
      (await em.findOne(OpenApiSpec, { organization, slug })) ??
      em.create(OpenApiSpec, { organization, slug, sourceText: sha256, processingState: 'complete', lastProcessedErrors: [] });
    await em.flush();
    const version = em.create(OpenApiSpecVersion, {
      spec: spec.id,
      hash: sha256,
      source: sha256,
      format: 'json',
      document: sha256,
      operations: 0,
    });
    await em.flush();
    spec.lastVersion = version.id;
    return { spec: spec.id, version: version.id };
  });
}

export const deleteSpec = ({ runtime }: TestService, organization: string, slug: string) =>
  runtime.database.transaction((em) => em.nativeDelete(OpenApiSpec, { organization, slug }));
