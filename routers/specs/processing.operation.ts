import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { runFor } from '../base/caller.ts';
import type { Context, Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import type { Jobs } from '../base/ports.ts';
import { recordEvent } from '../events/record.operation.ts';
import { saveApiOutline } from './api-outlines.operation.ts';
import { enqueueProcessing } from './queue.operation.ts';
import { readSource, type SourceResult } from './read-source.operation.ts';
import { removeOldVersions } from './retention.operation.ts';
import { nextFetch } from './schedule.ts';

/** How many OpenAPI specs are enqueued for fetching in one transaction. */
const BATCH = 100;

/**
 * Processes an OpenAPI spec, only once, however often it is called: only for the latest request to process it, unless that
 * is done already. If the process is killed, the job stays and runs again.
 */
export async function processSpec(
  context: Context,
  { spec: id, processing, scheduled = false }: Jobs['process-openapi-spec'],
): Promise<void> {
  const spec = await context.db
    .updateTable('openapi_spec')
    .set({ processing_state: 'progress' })
    .where('id', '=', id)
    .where('processing', '=', processing)
    .where('processing_state', '<>', 'complete')
    .returning(columnsOf(OpenApiSpec))
    .executeTakeFirst();
  if (!spec) return;
  const { organization } = spec;
  // Counts for the organization as a whole, apart from what its members do.
  await runFor({ organization, user: organization }, () =>
    processLoaded(context, spec, { processing, scheduled }),
  );
}

async function processLoaded(
  context: Context,
  spec: Row<OpenApiSpec>,
  { processing, scheduled }: { processing: number; scheduled: boolean },
): Promise<void> {
  const { transaction, services } = context;
  const { id } = spec;
  const { etag, lastModified } = spec;
  const validators = { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) };
  const result = await readSource(services, { ...spec, validators });
  if ('spec' in result) {
    const { source, document } = result.spec;
    await services.storage.put(source, result.bytes);
    await services.storage.put(document.sha256, document.bytes);
  }
  const version = await transaction((em) => saveResult(em, services, { id, processing, scheduled }, result));
  if (version) await removeOldVersions(context, spec);
}

/**
 * Saves the result of processing an OpenAPI spec, unless another run has saved one or there is a later request.
 * @returns the new version, if there is one
 */
async function saveResult(
  em: SqlEntityManager,
  { specRefresh }: Pick<Services, 'specRefresh'>,
  { id, processing, scheduled }: { id: string; processing: number; scheduled: boolean },
  result: SourceResult,
): Promise<OpenApiSpecVersion | undefined> {
  const db = kyselyOf(em);
  const spec = await db
    .selectFrom('openapi_spec')
    .leftJoin('openapi_spec_version', 'openapi_spec_version.id', 'openapi_spec.last_version_id')
    .select(columnsOf(OpenApiSpec))
    .select('openapi_spec_version.hash as lastHash')
    .where('openapi_spec.id', '=', id)
    .where('processing', '=', processing)
    // guard: spec-processing-current
    .where('processing_state', '=', 'progress')
    .forUpdate('openapi_spec')
    .executeTakeFirst();
  if (!spec) return undefined;
  const { organization, sourceUrl, slug } = spec;
  const now = new Date();
  const hasFailed = 'code' in result;
  const failures = hasFailed ? spec.failures + 1 : 0;
  const version =
    'spec' in result && result.spec.hash !== spec.lastHash
      ? em.create(OpenApiSpecVersion, versionOf(id, sourceUrl, result.spec))
      : undefined;
  await em.flush();
  if (version && 'spec' in result) await saveApiOutline(db, result.spec.document.sha256, result.outline);
  await db
    .updateTable('openapi_spec')
    .set({
      processing_state: 'complete',
      last_processed_at: now,
      last_process_error_code: hasFailed ? result.code : null,
      last_processed_errors: sql`${JSON.stringify(hasFailed ? result.errors : [])}::jsonb`,
      failures,
      next_fetch_at:
        sourceUrl === null ? null : nextFetch(failures, specRefresh * 60_000, now, Math.random()),
      ...('spec' in result && {
        etag: result.validators.etag ?? null,
        last_modified: result.validators.lastModified ?? null,
      }),
      ...(version && { last_version_id: version.id, updated_at: now }),
    })
    .where('id', '=', id)
    .execute();
  if (version)
    recordEvent(em, {
      type: 'openapi_spec.version.created',
      organization,
      spec: id,
      slug,
      version: version.id,
    });
  // A scheduled fetch without any change is not an event.
  if (version || !scheduled || failures !== spec.failures)
    recordEvent(em, {
      type: 'openapi_spec.processed',
      organization,
      spec: id,
      slug,
      ...(hasFailed && { errorCode: result.code }),
    });
  return version;
}

const versionOf = (
  spec: string,
  sourceUrl: string | null,
  { hash, source, format, document, operations }: Extract<SourceResult, { spec: unknown }>['spec'],
) => ({ spec, sourceUrl, hash, source, format, document: document.sha256, operations });

/** Enqueues the OpenAPI specs that are due to be fetched again. */
export async function refreshDueSpecs({ transaction, services }: Context): Promise<void> {
  for (;;) {
    const count = await transaction(async (em) => {
      const db = kyselyOf(em);
      const due = await db
        .updateTable('openapi_spec')
        .set((eb) => ({
          processing_state: 'pending',
          processing: eb('processing', '+', 1),
          next_fetch_at: null,
        }))
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('openapi_spec')
            .select('id')
            .where('next_fetch_at', '<=', sql<Date>`now()`)
            .orderBy('next_fetch_at')
            .limit(BATCH)
            .forUpdate()
            .skipLocked(),
        )
        .returning(['id as spec', 'processing', 'organization_id as organization'])
        .execute();
      const jobs = due.map((spec) => ({ ...spec, isFetched: true, scheduled: true }));
      await enqueueProcessing(db, services.jobs, jobs);
      return due.length;
    });
    if (count < BATCH) return;
  }
}
