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

/** A reference, with what it shows of an OpenAPI document, if it does. */
export type Reference = Pick<Usage, 'ref' | 'part'>;

/** What is known of the OpenAPI documents that some references lead to. */
export interface ApiTargets {
  /** The specification; undefined if there is none, or not the version or the part of it. */
  spec(reference: Reference): Row<OpenApiSpec> | undefined;
  /** Whether a file, which exists, has the part that is shown of it, as far as is known. */
  hasPart(reference: Reference): boolean;
}

/** Reads what references to OpenAPI documents lead to, in two statements; outlines that are not kept yet are computed. */
export async function readApiTargets(context: LinkContext, all: readonly Reference[]): Promise<ApiTargets> {
  // The files of other spaces are not read.
  const references = all.filter(
    ({ ref, part }) =>
      ref.kind === 'openapi' || (part !== undefined && ref.kind === 'file' && ref.space === undefined),
  );
  const sources = await readSources(context, references);
  const specs = await readSpecRows(context, sources.values());
  const isThere = ({ ref, part }: Reference): boolean => {
    const outline = sources.get(ref)?.outline;
    if (!outline || part === undefined) return true;
    return !('problem' in outline) && hasPart(outline, part);
  };
  return {
    hasPart: isThere,
    spec(reference) {
      const { ref } = reference;
      const source = sources.get(ref);
      const isLost =
        ref.kind === 'openapi' && specOf(ref).version !== undefined && 'problem' in (source?.outline ?? {});
      return isLost || !isThere(reference) ? undefined : specs.get(String(source?.value?.id));
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
