import type { ApiResponse, TestService } from '../helpers/service.ts';
import { processSpecs } from '../helpers/specs.ts';

/** An OpenAPI document with these operations: `{'get /pets': {summary: 'List pets'}}`. */
export function apiWith(operations: Record<string, object>, others: object = {}) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method]: operation };
  }
  return { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths, ...others };
}

const clientOf = async (service: TestService, organization: string) =>
  service.as((await service.build.member(organization, 'create')).token);

/** Makes a document the latest version of a specification, which is created if there is none. */
export async function publishSpec(
  service: TestService,
  organization: string,
  slug: string,
  document: object,
): Promise<{ spec: string; version: string }> {
  const client = await clientOf(service, organization);
  const path = `/orgs/${organization}/openapi/${slug}`;
  await client.put(path, { source: { text: JSON.stringify(document) } });
  await processSpecs(service);
  const { id, lastVersion } = (await client.get(path)).body;
  return { spec: id, version: lastVersion };
}

/** Deletes a specification even if it is used. */
export const deleteSpec = async (
  service: TestService,
  organization: string,
  slug: string,
): Promise<ApiResponse> =>
  (await clientOf(service, organization)).delete(`/orgs/${organization}/openapi/${slug}?force=true`);
