/** Pages that are generated in place of computed pages: they can be read and referred to, but not changed. */

import { changeError } from '../engine/edit/change-error.ts';
import type { EditChange } from '../engine/edit/changes.ts';
import { DomainError } from '../engine/errors.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import { computedPages } from '../engine/templates/computed-pages.ts';
import { apiSourcesOf } from './sources.query.ts';

/** Begins a sentence that says why something is impossible. */
export const IS_GENERATED = 'This page is generated from an OpenAPI spec';

/** The fields of changes that name pages. */
const FIELDS = ['page', 'into'] as const;

/**
 * Returns the error of a failed edit, or a better one if the page that it does not find is generated: that cannot be told
 * from stored content alone.
 */
export async function explainFailedEdit(
  error: unknown,
  changes: readonly EditChange[],
  isGenerated: (page: string) => Promise<boolean>,
): Promise<unknown> {
  if (!(error instanceof DomainError) || error.code !== 'not-found') return error;
  const { path = '' } = error.details?.[0] ?? {};
  const [, index, name] = /^changes\.(\d+)\.(\w+)$/.exec(path) ?? [];
  const field = FIELDS.find((one) => one === name);
  const change = changes[Number(index)];
  const page: unknown = field && change && field in change ? change[field as keyof EditChange] : undefined;
  if (typeof page !== 'string' || !(await isGenerated(page))) return error;
  const reason =
    field === 'into'
      ? `${IS_GENERATED}, so no pages can be put below it.`
      : `${IS_GENERATED}: change the spec, or the computed page above it.`;
  return changeError('invalid', path, reason);
}

/** The paths in a space of the pages shown in place of computed pages, by id. */
export async function readGeneratedPaths(
  content: Parameters<typeof apiSourcesOf>[0] & { snapshot: Snapshot },
): Promise<Map<string, string>> {
  const pages = await computedPages(content.snapshot, apiSourcesOf(content)).generatedPages();
  return new Map([...pages].map(([id, { path }]) => [id, path]));
}
