import { subtle } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/postgresql';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { DomainError } from '../engine/errors.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { SerializedText } from '../engine/specs/serialized-text.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { countRows } from '../sql/count-rows.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { lockRow } from '../sql/lock-row.ts';
import { enqueueProcessing } from './queue.operation.ts';

/** The source of an OpenAPI spec. */
export type SpecSource = { url: string } | { text: string | SerializedText } | { bytes: Uint8Array };

/** The maximum of OpenAPI specs of one organization. */
const MAX_SPECS = 1000;

/** An OpenAPI spec to create or to update. */
interface NewSpec {
  organization: string;
  slug: string;
  source: SpecSource;
}

/**
 * Creates an OpenAPI spec and enqueues its processing.
 * @throws DomainError `conflict` if the slug is taken, or there are too many; `invalid` for a URL that the service must not access
 */
export async function createSpec(
  em: SqlEntityManager,
  services: Services,
  { organization, slug, source }: NewSpec,
): Promise<OpenApiSpec> {
  const columns = await storeSource(services, source);
  await lockOrganizations(kyselyOf(em), organization);
  if (await em.findOne(OpenApiSpec, { organization, slug }))
    throw new DomainError('conflict', 'The organization already has an OpenAPI spec with this slug.');
  return insertSpec(em, services, { organization, slug, ...columns });
}

/**
 * Deletes an OpenAPI spec with all of its versions.
 * @returns whether it existed
 */
export async function deleteSpec(
  em: SqlEntityManager,
  { id, slug, organization }: Pick<OpenApiSpec, 'id' | 'slug' | 'organization'>,
): Promise<boolean> {
  const removed = await deleteRows(kyselyOf(em), 'openapi_spec', { id });
  if (removed > 0) recordEvent(em, { type: 'openapi_spec.deleted', organization, spec: id, slug });
  return removed > 0;
}

/**
 * Creates an OpenAPI spec or sets its source, which may be the same as before, and enqueues its processing.
 * @throws DomainError as `createSpec`, but not for a slug that is taken
 */
export async function putSpec(
  em: SqlEntityManager,
  services: Services,
  { organization, slug, source }: NewSpec,
): Promise<OpenApiSpec> {
  const columns = await storeSource(services, source);
  // Of concurrent requests for the same new slug, the first creates it.
  await lockOrganizations(kyselyOf(em), organization);
  const spec = await em.findOne(
    OpenApiSpec,
    { organization, slug },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  return spec
    ? updateSource(em, services, spec, columns)
    : insertSpec(em, services, { organization, slug, ...columns });
}

/** The columns of a source: a URL, or the SHA-256 of a stored text. */
type SourceColumns = Pick<OpenApiSpec, 'sourceUrl' | 'sourceText'>;

/** Inserts an OpenAPI spec, under the lock of its organization. */
async function insertSpec(
  em: SqlEntityManager,
  services: Services,
  given: { organization: string; slug: string } & SourceColumns,
): Promise<OpenApiSpec> {
  const { organization } = given;
  if ((await countRows(kyselyOf(em), 'openapi_spec', { organization_id: organization })) >= MAX_SPECS)
    throw new DomainError('conflict', `An organization can have at most ${MAX_SPECS} OpenAPI specs.`);
  const spec = em.create(OpenApiSpec, { ...given, lastProcessedErrors: [] });
  await em.flush();
  recordEvent(em, { type: 'openapi_spec.created', organization, spec: spec.id, slug: spec.slug });
  await queueProcessing(kyselyOf(em), services, spec);
  return spec;
}

async function updateSource(
  em: SqlEntityManager,
  services: Services,
  spec: OpenApiSpec,
  columns: SourceColumns,
): Promise<OpenApiSpec> {
  const isSameUrl = columns.sourceUrl !== null && columns.sourceUrl === spec.sourceUrl;
  em.assign(spec, {
    ...columns,
    // guard: spec-validators-url
    ...(!isSameUrl && { etag: null, lastModified: null, failures: 0 }),
    processingState: 'pending',
    processing: spec.processing + 1,
    nextFetchAt: null,
  });
  await em.flush();
  const { id, slug, organization } = spec;
  recordEvent(em, { type: 'openapi_spec.updated', organization, spec: id, slug });
  await queueProcessing(kyselyOf(em), services, spec);
  return spec;
}

/**
 * Enqueues fetching an OpenAPI spec again.
 * @throws DomainError `conflict` if it was uploaded as text, `not-found` if it was deleted meanwhile
 */
export async function refreshSpec(
  em: SqlEntityManager,
  services: Services,
  id: string,
): Promise<OpenApiSpec> {
  const spec = await lockRow(em, OpenApiSpec, id, 'OpenAPI spec');
  if (spec.sourceUrl === null)
    throw new DomainError('conflict', 'The OpenAPI spec was uploaded as text: there is nothing to fetch.');
  em.assign(spec, { processingState: 'pending', processing: spec.processing + 1, nextFetchAt: null });
  await em.flush();
  await queueProcessing(kyselyOf(em), services, spec);
  return spec;
}

/** Stores the text of a source, and returns the columns. @throws DomainError `invalid` */
async function storeSource({ outbound, storage }: Services, source: SpecSource): Promise<SourceColumns> {
  if ('url' in source) {
    const refusal = outbound.problemWithUrl(source.url);
    // guard: spec-url-private
    if (refusal !== undefined)
      throw new DomainError('invalid', refusal, [{ path: 'source.url', message: refusal }]);
    return { sourceUrl: source.url, sourceText: null };
  }
  const { bytes, sha256 } = await hashText(source);
  if (bytes.byteLength > SPEC_LIMIT) {
    const message = `must have at most ${byteLimit(SPEC_LIMIT)}`;
    throw new DomainError('invalid', `The text ${message}.`, [{ path: 'source.text', message }]);
  }
  await storage.put(sha256, bytes);
  return { sourceUrl: null, sourceText: sha256 };
}

async function hashText(source: Exclude<SpecSource, { url: string }>): Promise<SerializedText> {
  const given = 'text' in source ? source.text : source.bytes;
  if (given instanceof SerializedText) return given;
  const bytes = Buffer.from(given);
  // Not in this thread: it may be large.
  const digest = await subtle.digest('SHA-256', bytes);
  return new SerializedText({ bytes, sha256: Buffer.from(digest).toString('hex') });
}

/** Enqueues the job that processes an OpenAPI spec as it is now, in the transaction of `db`. */
async function queueProcessing(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  { id: spec, processing, organization, sourceUrl }: OpenApiSpec,
): Promise<void> {
  await enqueueProcessing(db, jobs, [{ spec, processing, organization, isFetched: sourceUrl !== null }]);
}
