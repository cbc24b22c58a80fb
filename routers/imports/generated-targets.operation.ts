/** The pages that will be generated for the computed pages of an import, so that its links can lead to them. */

import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readSpecs } from '../content/sources.query.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { notFound } from '../engine/errors.ts';
import type { LinkTargets } from '../engine/import/links.ts';
import { planMutations } from '../engine/import/mutations.ts';
import { joinPath } from '../engine/import/paths.ts';
import type { ImportPlan } from '../engine/import/plan.ts';
import type { PreviousImport } from '../engine/import/previous-import.ts';
import { readFile } from '../engine/import/read.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { computedSourceOf, generatedPageId } from '../engine/store/computed-source.ts';
import { editSnapshot, putEmptyRoot } from '../engine/store/edit.ts';
import { createObjectBuffer, NO_OBJECTS } from '../engine/store/objects.ts';
import type { PageRecord } from '../engine/store/records.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { localEngine } from '../engine/tasks/engine.ts';
import { type ApiOutline, pagesFor, walkApiPages } from '../engine/templates/api-outline.ts';
import { readApiOutline } from '../specs/api-outlines.operation.ts';
import { saveFile } from './save-content.operation.ts';

type ImportContext = Pick<Context, 'db' | 'services'>;

interface PlannedImport {
  plan: ImportPlan;
  previous: PreviousImport;
  /** The root of the content of the last import, if there was one. */
  before: string | undefined;
  /** The id of the space, or the organization of one that is yet to be created. */
  space: string | { organization: string };
  dryRun: boolean;
}

/**
 * The ids of the computed pages of a plan and of the pages generated for them, by path; undefined if it has none. Stores the
 * files that they are computed from, which the import stores anyway, unless nothing is to be written.
 */
export async function readGeneratedTargets(
  context: ImportContext,
  planned: PlannedImport,
): Promise<LinkTargets['generated']> {
  const { plan } = planned;
  if (!plan.pages.some(({ type }) => type === 'computed')) return undefined;
  const placed = await placeComputed(context, planned);
  const sources = placed.flatMap(({ page, path }) => {
    const source = computedSourceOf(page);
    return source ? [{ id: page.id, path, ...source }] : [];
  });
  const outlines = await readOutlines(
    context,
    planned,
    sources.map(({ ref }) => ref),
  );
  const { root } = plan.scan.index;
  const targets = new Map(placed.map(({ page, path }) => [joinPath(root, path), page.id]));
  for (const { id, path: above, ref, models } of sources) {
    const outline = outlines.get(ref);
    if (!outline) continue;
    for (const { path, page } of walkApiPages(pagesFor(outline, ref, { models })))
      targets.set(joinPath(root, joinPath(above, path)), generatedPageId(id, page.key));
  }
  return targets;
}

/** The computed pages with their paths, which depend on the slugs that the content gives to pages. */
async function placeComputed(
  { db }: ImportContext,
  { plan, previous, before }: PlannedImport,
): Promise<{ page: PageRecord; path: string }[]> {
  const scratch = createObjectBuffer(objectReader(db));
  const mutations = planMutations(previous, {
    pages: plan.pages,
    documents: new Map(),
    files: [],
    reusableContents: [],
    variables: {},
    repository: [],
    now: new Date().toISOString(),
  });
  const root = await editSnapshot(scratch, before ?? putEmptyRoot(scratch), mutations);
  const snapshot = await openSnapshot(scratch, root);
  const ids = plan.pages.flatMap(({ id, type }) => (type === 'computed' ? id : []));
  const [pages, paths] = await Promise.all([snapshot.pages(ids), snapshot.paths(ids)]);
  return [...pages].map(([id, page]) => ({ page, path: paths.get(id) ?? '' }));
}

/** The outlines of the OpenAPI documents that are there. */
async function readOutlines(
  { db, services }: ImportContext,
  planned: PlannedImport,
  refs: readonly ContentRef[],
): Promise<Map<ContentRef, ApiOutline>> {
  const space = typeof planned.space === 'string' ? await readSpace(db, planned.space) : planned.space;
  const specs = await readSpecs({ db, services, engine: localEngine, space }, refs);
  const outlines = new Map<ContentRef, ApiOutline>();
  for (const [ref, { outline }] of specs) if (!('problem' in outline)) outlines.set(ref, outline);
  const files = new Map(planned.plan.files.map((file) => [file.id, file]));
  for (const ref of refs) {
    const file = ref.kind === 'file' ? files.get(ref.file) : undefined;
    const outline = file && (await readFileOutline({ db, services }, planned, file));
    if (outline) outlines.set(ref, outline);
  }
  return outlines;
}

/** The organization of a space, whose OpenAPI specs computed pages may refer to. */
const readSpace = (db: Db, id: string): Promise<{ organization: string }> =>
  db
    .selectFrom('space')
    .select('organization_id as organization')
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('space'));

async function readFileOutline(
  { db, services }: ImportContext,
  { plan, previous, dryRun }: PlannedImport,
  file: ImportPlan['files'][number],
): Promise<ApiOutline | null | undefined> {
  if (file.size > SPEC_LIMIT) return undefined;
  const kept = plan.scan.kept.has(file.path) ? previous.files.get(file.id) : undefined;
  if (dryRun && !kept) {
    const { bytes } = await readFile(plan, file);
    return localEngine.run('apiOutline', { bytes }, NO_OBJECTS);
  }
  const { sha256 } = kept ?? (await saveFile(services, plan, file, dryRun));
  return readApiOutline({ db, storage: services.storage, engine: localEngine }, sha256);
}
