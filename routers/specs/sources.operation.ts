import { subtle } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/postgresql';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { type Db, kyselyOf, type Services } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';

/** What a specification is made from. */
export type SpecSource = { url: string } | { text: string } | { bytes: Uint8Array };

/** Specifications of one organization. */
const MAX_SPECS = 1000;

/**
 * Creates a specification and queues its processing.
 * @throws DomainError `conflict` if the slug is taken, or there are too many; `invalid` for a URL that is never accessed
 */
export async function createSpec(
  em: SqlEntityManager,
  services: Services,
  { organization, slug, source }: { organization: string; slug: string; source: SpecSource },
): Promise<OpenApiSpec> {
  const db = kyselyOf(em);
  const columns = await storeSource(services, source);
  await lockOrganizations(db, organization);
  const { count, taken } = await db
    .selectFrom('openapi_spec')
    .select((eb) => [
      eb.fn.countAll<string>().as('count'),
      eb.fn.countAll<string>().filterWhere('slug', '=', slug).as('taken'),
    ])
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
  if (Number(taken) > 0)
    throw new DomainError('conflict', 'The organization has a specification with this slug.');
  if (Number(count) >= MAX_SPECS)
    throw new DomainError('conflict', `An organization can have at most ${MAX_SPECS} specifications.`);
  const spec = em.create(OpenApiSpec, { organization, slug, ...columns, lastProcessedErrors: [] });
  await em.flush();
  recordEvent(em, { type: 'openapi_spec.created', organization, spec: spec.id });
  await queueProcessing(db, services, spec);
  return spec;
}

/**
 * Creates a specification, or gives one another source, or the same again, and queues its processing.
 * @throws DomainError as `createSpec`
 */
export async function putSpec(
  em: SqlEntityManager,
  services: Services,
  given: { organization: string; slug: string; source: SpecSource },
): Promise<OpenApiSpec> {
  const { organization, slug, source } = given;
  const present = await kyselyOf(em)
    .selectFrom('openapi_spec')
    .select('id')
    .where('organization_id', '=', organization)
    .where('slug', '=', slug)
    .executeTakeFirst();
  return present ? updateSource(em, services, present.id, source) : createSpec(em, services, given);
}

/** Gives a specification another source, or the same again, and queues its processing. */
async function updateSource(
  em: SqlEntityManager,
  services: Services,
  id: string,
  source: SpecSource,
): Promise<OpenApiSpec> {
  const columns = await storeSource(services, source);
  const spec = await em.findOneOrFail(OpenApiSpec, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const isSameUrl = columns.sourceUrl !== null && columns.sourceUrl === spec.sourceUrl;
  em.assign(spec, {
    ...columns,
    ...(!isSameUrl && { etag: null, lastModified: null, failures: 0 }),
    processingState: 'pending',
    processing: spec.processing + 1,
    nextFetchAt: null,
  });
  await em.flush();
  recordEvent(em, { type: 'openapi_spec.updated', organization: spec.organization, spec: id });
  await queueProcessing(kyselyOf(em), services, spec);
  return spec;
}

/**
 * Queues fetching a specification again.
 * @throws DomainError `conflict` if it was given as text
 */
export async function refreshSpec(
  em: SqlEntityManager,
  services: Services,
  id: string,
): Promise<OpenApiSpec> {
  const spec = await em.findOneOrFail(OpenApiSpec, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (spec.sourceUrl === null)
    throw new DomainError('conflict', 'The specification was given as text: there is nothing to fetch.');
  em.assign(spec, { processingState: 'pending', processing: spec.processing + 1, nextFetchAt: null });
  await em.flush();
  await queueProcessing(kyselyOf(em), services, spec);
  return spec;
}

/** The columns of a source, whose text is stored. */
async function storeSource(
  { outbound, storage }: Services,
  source: SpecSource,
): Promise<{ sourceUrl: string | null; sourceText: string | null }> {
  if ('url' in source) {
    const refusal = outbound.refusalOf(source.url);
    if (refusal !== undefined)
      throw new DomainError('invalid', refusal, [{ path: 'source.url', message: refusal }]);
    return { sourceUrl: source.url, sourceText: null };
  }
  const bytes = 'text' in source ? Buffer.from(source.text) : source.bytes;
  if (bytes.byteLength > SPEC_LIMIT) {
    const message = `must have at most ${SPEC_LIMIT} bytes`;
    throw new DomainError('invalid', `The text ${message}.`, [{ path: 'source.text', message }]);
  }
  // Not in this thread: it may be large.
  const sha256 = Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
  await storage.put(sha256, bytes);
  return { sourceUrl: null, sourceText: sha256 };
}

/** Enqueues the job that processes a specification as it is now, in the transaction of `db`. */
async function queueProcessing(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  { id: spec, processing, organization: group }: { id: string; processing: number; organization: string },
): Promise<void> {
  await jobs.enqueue(db, 'process-openapi-spec', { data: { spec, processing }, group });
}
