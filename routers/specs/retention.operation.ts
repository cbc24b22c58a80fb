import type { Context } from '../base/context.ts';

/** The latest versions of a specification, which are kept; older ones only if content names them. */
export const KEPT_VERSIONS = 100;

/** Removed at once, if not more: content, which may name them, must be searched each time. */
const BATCH = 20;

/** Removes old versions of a specification once there are many: one at a URL may change at each fetch. */
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
