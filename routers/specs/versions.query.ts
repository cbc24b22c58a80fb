import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { columnsOf, columnsUnder, partOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import type { FileStorage } from '../base/ports.ts';
import type { PrebuiltResponse } from '../response/prebuilt-response.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import { presentRaw } from './versions.api.ts';

const readLatest = batchedStatement((db, organization: Operand, slug: Operand) =>
  // guard: organization-of-latest-version
  db
    .selectFrom('openapi_spec')
    .leftJoin('openapi_spec_version', 'openapi_spec_version.id', 'openapi_spec.last_version_id')
    .select(columnsOf(OpenApiSpec))
    .select(columnsUnder('version', OpenApiSpecVersion))
    .where('openapi_spec.organization_id', '=', organization)
    .where('openapi_spec.slug', '=', slug),
);

/** An OpenAPI spec of an organization with its latest version, if it has one, in one statement. */
export async function readLatestVersion(db: Db, organization: string, slug: string) {
  const spec = await readLatest(db, organization, slug);
  return spec && { spec, version: partOf<Row<OpenApiSpecVersion>, 'version'>(spec, 'version') };
}

/** An OpenAPI spec that content refers to. */
export interface SpecReference {
  /** The slug of the OpenAPI spec in its organization, or its id. */
  spec: string;
  /** The id of a version; the latest one if it is absent. */
  version?: string;
}

/** A version with the OpenAPI spec that it belongs to. */
export interface FoundVersion {
  spec: { id: string; slug: string; lastVersion: string | null };
  version: Row<OpenApiSpecVersion>;
}

/**
 * Finds the versions that content refers to, in the order of the references; undefined where there is no such OpenAPI
 * spec or version, or no version was processed yet.
 */
export async function findSpecVersions(
  db: Db,
  organization: string,
  references: readonly SpecReference[],
): Promise<(FoundVersion | undefined)[]> {
  if (references.length === 0) return [];
  const names = [...new Set(references.map(({ spec }) => spec))];
  const wanted = references.flatMap(({ version }) => version ?? []);
  const rows = await db
    .selectFrom('openapi_spec')
    .innerJoin('openapi_spec_version', 'openapi_spec_version.spec_id', 'openapi_spec.id')
    .select(columnsOf(OpenApiSpecVersion))
    .select(['openapi_spec.slug', 'openapi_spec.last_version_id as latest'])
    // guard: organization-of-content-spec
    .where('openapi_spec.organization_id', '=', organization)
    .where((eb) =>
      eb.or([
        eb('openapi_spec.slug', '=', eb.fn.any(eb.val(names))),
        eb('openapi_spec.id', '=', eb.fn.any(eb.val(names))),
      ]),
    )
    .where((eb) =>
      eb.or([
        eb('openapi_spec_version.id', '=', eb.ref('openapi_spec.last_version_id')),
        eb('openapi_spec_version.id', '=', eb.fn.any(eb.val(wanted))),
      ]),
    )
    .execute();
  return references.map((reference) => {
    const ofSpec = (name: 'slug' | 'spec') =>
      rows.find((row) => row[name] === reference.spec && row.id === (reference.version ?? row.latest));
    const row = ofSpec('slug') ?? ofSpec('spec');
    if (!row) return undefined;
    const { slug, latest, ...version } = row;
    return { spec: { id: version.spec, slug, lastVersion: latest }, version };
  });
}

/** The size of a stored part of a version, in bytes. */
export async function partSize(storage: FileStorage, hash: string): Promise<number> {
  const size = await storage.size(hash);
  if (size === undefined) throw new Error(`the file ${hash} of an OpenAPI spec is missing`);
  return size;
}

/** The latest version of a public OpenAPI spec, as it was received. */
export async function findPublished(
  db: Db,
  storage: FileStorage,
  organization: string,
  slug: string,
): Promise<PrebuiltResponse | undefined> {
  const version = await db
    .selectFrom('openapi_spec')
    .innerJoin('openapi_spec_version', 'openapi_spec_version.id', 'openapi_spec.last_version_id')
    .select(['openapi_spec_version.source', 'openapi_spec_version.format'])
    .where('organization_id', '=', organization)
    .where('slug', '=', slug)
    // guard: spec-public-versions
    .where('visibility', '=', 'public')
    .executeTakeFirst();
  return version && presentRaw(version, await partSize(storage, version.source), storage);
}
