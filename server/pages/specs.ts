import { LRUCache } from 'lru-cache';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { PrebuiltResponse } from '../../routers/response/prebuilt-response.ts';
import { parseJson } from '../../schema/json/parse-json.ts';
import { ifVisible, type Visit } from './visit.ts';

/** Largest OpenAPI spec that is shown, in bytes: parsing it must not hold up other requests. */
const MAX_SPEC_BYTES = 4 * 1024 * 1024;

/** Bytes of the cached OpenAPI specs, as text. */
const CACHE_BYTES = 8 * 1024 * 1024;

const cache = new LRUCache<string, { spec: Spec; size: number }>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ size }) => size,
});

/** The latest version of an OpenAPI spec; undefined if it is hidden from the visitor, or too large. */
export async function readSpec({ call, organization }: Visit, specSlug: string): Promise<Spec | undefined> {
  const response: unknown = await ifVisible(
    call.latestSpecVersion.content({ organizationId: organization, specSlug }),
  );
  if (!(response instanceof PrebuiltResponse) || response.size > MAX_SPEC_BYTES) return undefined;
  const cached = cache.get(response.tag);
  if (cached) return cached.spec;
  const { filesystem } = parseJson(await response.text()) as { filesystem: { specification: Spec }[] };
  const spec = filesystem[0]?.specification;
  if (spec) cache.set(response.tag, { spec, size: response.size });
  return spec;
}
