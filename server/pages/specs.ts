import { LRUCache } from 'lru-cache';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { PrebuiltResponse } from '../../routers/response/prebuilt-response.ts';
import { orNothing, type Visit } from './visit.ts';

/** Largest specification that is shown, in bytes: parsing it must not hold up other requests. */
const MAX_SPEC = 4 * 1024 * 1024;

/** Bytes of text of the specifications that are kept. */
const CACHE_BYTES = 8 * 1024 * 1024;

const kept = new LRUCache<string, { spec: Spec; size: number }>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ size }) => size,
});

/** The latest version of a specification; undefined if the visitor is not shown it, or it is too large. */
export async function readSpec({ call, organization }: Visit, specSlug: string): Promise<Spec | undefined> {
  const answer: unknown = await orNothing(
    call.latestSpecVersion.content({ organizationId: organization, specSlug }),
  );
  if (!(answer instanceof PrebuiltResponse) || answer.size > MAX_SPEC) return undefined;
  const known = kept.get(answer.tag);
  if (known) return known.spec;
  const { filesystem } = JSON.parse(await answer.text()) as { filesystem: { specification: Spec }[] };
  const spec = filesystem[0]?.specification;
  if (spec) kept.set(answer.tag, { spec, size: answer.size });
  return spec;
}
