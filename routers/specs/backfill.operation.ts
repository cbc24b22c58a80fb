import type { Context } from '../base/context.ts';
import { SPEC_DOCUMENT_LIMIT } from '../engine/specs/limits.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import { runBackfill } from '../sql/backfill.operation.ts';
import { saveApiOutline } from './api-outlines.operation.ts';
import { readBytes } from './stored-files.query.ts';

/** Adds the HTML of descriptions to the documents of versions that were stored without it. */
export async function describeEarlierSpecs(ctx: Context): Promise<void> {
  const { background, storage, logger } = ctx.services;
  const described = await runBackfill(ctx, {
    key: 'described-specs',
    next: (db, last) =>
      db
        .selectFrom('openapi_spec_version')
        .innerJoin('openapi_spec', 'openapi_spec.id', 'openapi_spec_version.spec_id')
        .select(['openapi_spec_version.id', 'document', 'organization_id as organization', 'spec_id as spec'])
        .where('openapi_spec_version.id', '>', last)
        .orderBy('openapi_spec_version.id')
        .limit(1)
        .executeTakeFirst(),
    async compute({ document, organization, spec }) {
      const bytes = await readBytes(storage, document, SPEC_DOCUMENT_LIMIT);
      if (!bytes) return undefined;
      const engine = background.for({ organization, user: spec });
      const described = await engine.run('describeSpec', { bytes }, NO_OBJECTS);
      await storage.put(described.document.sha256, described.document.bytes);
      return described;
    },
    async save(tx, { id }, { document, outline }) {
      await saveApiOutline(tx, document.sha256, outline);
      await tx
        .updateTable('openapi_spec_version')
        .set({ document: document.sha256 })
        .where('id', '=', id)
        .execute();
      return true;
    },
  });
  if (described > 0) logger.info({ versions: described }, 'descriptions of OpenAPI specs added');
}
