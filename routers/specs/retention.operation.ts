import type { Context } from '../base/context.ts';

/** How many of the latest versions of an OpenAPI spec are kept; older ones only if content refers to them. */
export const KEPT_VERSIONS = 100;

/** Versions are removed once there are this many: each time, content must be searched for references to them. */
const BATCH = 20;

/** Removes old versions of an OpenAPI spec once there are many: a document at a URL may change with each fetch. */
export async function removeOldVersions(
  { db, services }: Pick<Context, 'db' | 'services'>,
  spec: { id: string; slug: string; organization: string },
): Promise<void> {
  const old = await db
    .selectFrom('openapi_spec_version')
    .select('id')
    .where('spec_id', '=', spec.id)
    .orderBy('id', 'desc')
    .offset(KEPT_VERSIONS)
    .execute();
  if (old.length < BATCH) return;
  const ids = old.map(({ id }) => id);
  const engine = services.background.for({ organization: spec.organization, user: spec.organization });
  const named = await services.findNamedVersions({ db, engine }, spec, ids);
  await db
    .deleteFrom('openapi_spec_version')
    .where('spec_id', '=', spec.id)
    // guard: spec-version-named
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids.filter((id) => !named.has(id))))))
    .execute();
}
