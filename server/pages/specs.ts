import { LRUCache } from 'lru-cache';
import { SHOWN_SPEC_LIMIT } from '../../routers/engine/specs/limits.ts';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { PrebuiltResponse } from '../../routers/response/prebuilt-response.ts';
import { parseJson } from '../../schema/json/parse-json.ts';
import { ifVisible, type Visit } from './visit.ts';

/** The largest response that is read, in bytes: a spec, and what is around it. */
const MAX_RESPONSE = SHOWN_SPEC_LIMIT + 10_000;

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
  return parseOnce<{ filesystem: { specification: Spec }[] }>(
    response,
    ({ filesystem }) => filesystem[0]?.specification,
  );
}

/** The OpenAPI document in a file of a revision; undefined if it contains none, or one that is too large. */
export async function readFileSpec(
  { call }: Visit,
  file: { spaceId: string; revisionId: string; fileId: string },
): Promise<Spec | undefined> {
  const response: unknown = await ifVisible(call.revisions.fileSpec(file));
  return parseOnce<{ specification: Spec | null }>(
    response,
    ({ specification }) => specification ?? undefined,
  );
}

/** The spec in a response, which is parsed once for all readers. */
async function parseOnce<Content>(
  response: unknown,
  specIn: (content: Content) => Spec | undefined,
): Promise<Spec | undefined> {
  if (!(response instanceof PrebuiltResponse) || response.size > MAX_RESPONSE) return undefined;
  const cached = cache.get(response.tag);
  if (cached) return cached.spec;
  const spec = specIn(parseJson(await response.text()) as Content);
  if (spec) cache.set(response.tag, { spec, size: response.size });
  return spec;
}
