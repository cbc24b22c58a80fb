import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { apiSourcesOf } from '../content/sources.query.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { specOf } from '../engine/document/refs.ts';
import type { Usage } from '../engine/links/usages.ts';
import { hasPart } from '../engine/templates/api-outline.ts';
import type { ApiSource } from '../engine/templates/computed-pages.ts';
import { sqlAny } from '../sql/sql-any.ts';
import type { LinkContext } from './link-context.ts';

/** A reference, with the part of an OpenAPI document that it shows, if it does. */
export type Reference = Pick<Usage, 'ref' | 'part'>;

/** Resolves references to OpenAPI documents. */
export interface ApiTargets {
  /** The OpenAPI spec; undefined if it does not exist, or has no such version or part. */
  spec(reference: Reference): Row<OpenApiSpec> | undefined;
  /** Whether an existing file has the part that is shown of it; true if that is not known. */
  hasPart(reference: Reference): boolean;
}

/** Reads the targets of references to OpenAPI documents, in two statements; computes outlines that are not stored yet. */
export async function readApiTargets(context: LinkContext, all: readonly Reference[]): Promise<ApiTargets> {
  // Files of other spaces are not read.
  const references = all.filter(
    ({ ref, part }) =>
      ref.kind === 'openapi' || (part !== undefined && ref.kind === 'file' && ref.space === undefined),
  );
  const sources = await readSources(context, references);
  const specs = await readSpecRows(context, sources.values());
  const exists = ({ ref, part }: Reference): boolean => {
    const outline = sources.get(ref)?.outline;
    if (!outline || part === undefined) return true;
    return !('problem' in outline) && hasPart(outline, part);
  };
  return {
    hasPart: exists,
    spec(reference) {
      const { ref } = reference;
      const source = sources.get(ref);
      const isMissing =
        ref.kind === 'openapi' && specOf(ref).version !== undefined && 'problem' in (source?.outline ?? {});
      return isMissing || !exists(reference) ? undefined : specs.get(String(source?.value?.id));
    },
  };
}

const readSources = async (
  { db, here, snapshot, services, engine }: LinkContext,
  references: readonly Reference[],
): Promise<ReadonlyMap<ContentRef, ApiSource>> =>
  references.length === 0
    ? new Map()
    : apiSourcesOf({ db, space: here.space, snapshot, services, engine }).read(
        references.map(({ ref }) => ref),
      );

async function readSpecRows(
  { db }: LinkContext,
  sources: Iterable<ApiSource>,
): Promise<Map<string, Row<OpenApiSpec>>> {
  const ids = new Set([...sources].flatMap(({ value }) => (value ? String(value.id) : [])));
  if (ids.size === 0) return new Map();
  const rows = await db
    .selectFrom('openapi_spec')
    .select(columnsOf(OpenApiSpec))
    .where('id', '=', sqlAny([...ids]))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
