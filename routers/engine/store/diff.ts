/** The changes between two revisions, as authors see them. */

import { type Json, type JsonObject, ownField, sameJson } from './canonical.ts';
import type { ObjectReader } from './objects.ts';
import { type Difference, diffMaps } from './ordered-map-diff.ts';
import { type FileRecord, type PageRecord, type ReusableContentRecord, readRoot } from './records.ts';

/** The values of changed fields; `before` or `after` is absent if the field did not or does not exist. */
type AttributeChanges = {
  readonly [field: string]: { readonly before?: Json; readonly after?: Json };
};

export type ContentChange =
  | { readonly type: 'page_created'; readonly page: PageRecord }
  | { readonly type: 'page_edited'; readonly page: PageRecord; readonly attributes: AttributeChanges }
  | {
      readonly type: 'page_moved';
      readonly page: PageRecord;
      /** Ids of the parents; equal if the page only moved among its siblings. */
      readonly parent: { readonly before: string | null; readonly after: string | null };
    }
  | { readonly type: 'page_deleted'; readonly page: PageRecord }
  | { readonly type: 'file_created'; readonly file: FileRecord }
  | { readonly type: 'file_edited'; readonly file: FileRecord; readonly attributes: AttributeChanges }
  | { readonly type: 'file_deleted'; readonly file: FileRecord }
  | { readonly type: 'reusable_content_created'; readonly reusableContent: ReusableContentRecord }
  | {
      readonly type: 'reusable_content_edited';
      readonly reusableContent: ReusableContentRecord;
      readonly attributes: AttributeChanges;
    }
  | { readonly type: 'reusable_content_deleted'; readonly reusableContent: ReusableContentRecord }
  | { readonly type: 'variables_edited'; readonly variables: AttributeChanges };

/** Fields that do not count as edits: times, the origin, and the placement, whose change is a move. */
const BOOKKEEPING_FIELDS = ['createdAt', 'updatedAt', 'git', 'parent', 'position'];

/**
 * Compares two roots: returns changes of pages in the order of their ids, then of files, reusable contents and variables.
 * The attribute `document` contains hashes. There are two changes for a page that was both edited and moved. Does not read
 * what both roots share.
 */
export async function diffSnapshots(
  reader: ObjectReader,
  before: string,
  after: string,
): Promise<ContentChange[]> {
  if (before === after) return [];
  const [old, next] = await Promise.all([readRoot(reader, before), readRoot(reader, after)]);
  const [pages, files, contents] = await Promise.all([
    diffMaps(reader, old.pages, next.pages),
    diffMaps(reader, old.files, next.files),
    diffMaps(reader, old.reusableContents, next.reusableContents),
  ]);
  const variables = changedFields(old.variables, next.variables);
  return [
    ...pages.flatMap(pageChanges),
    ...files.flatMap(fileChanges),
    ...contents.flatMap(reusableContentChanges),
    ...(isEmpty(variables) ? [] : [{ type: 'variables_edited', variables } as const]),
  ];
}

function pageChanges(difference: Difference): ContentChange[] {
  const before = difference.before as PageRecord | undefined;
  const page = difference.after as PageRecord | undefined;
  if (!before) return page ? [{ type: 'page_created', page }] : [];
  if (!page) return [{ type: 'page_deleted', page: before }];
  const attributes = changedFields(before, page);
  const changes: ContentChange[] = [];
  if (!isEmpty(attributes)) changes.push({ type: 'page_edited', page, attributes });
  if (before.parent !== page.parent || before.position !== page.position) {
    changes.push({ type: 'page_moved', page, parent: { before: before.parent, after: page.parent } });
  }
  return changes;
}

function fileChanges(difference: Difference): ContentChange[] {
  const before = difference.before as FileRecord | undefined;
  const file = difference.after as FileRecord | undefined;
  if (!before) return file ? [{ type: 'file_created', file }] : [];
  if (!file) return [{ type: 'file_deleted', file: before }];
  const attributes = changedFields(before, file);
  return isEmpty(attributes) ? [] : [{ type: 'file_edited', file, attributes }];
}

function reusableContentChanges(difference: Difference): ContentChange[] {
  const before = difference.before as ReusableContentRecord | undefined;
  const reusableContent = difference.after as ReusableContentRecord | undefined;
  if (!before) return reusableContent ? [{ type: 'reusable_content_created', reusableContent }] : [];
  if (!reusableContent) return [{ type: 'reusable_content_deleted', reusableContent: before }];
  const attributes = changedFields(before, reusableContent);
  return isEmpty(attributes) ? [] : [{ type: 'reusable_content_edited', reusableContent, attributes }];
}

function changedFields(before: JsonObject, after: JsonObject): AttributeChanges {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changes = fields
    .filter((field) => !BOOKKEEPING_FIELDS.includes(field))
    .map((field) => [field, { before: ownField(before, field), after: ownField(after, field) }] as const)
    .filter(([, change]) => !sameJson(change.before, change.after));
  return Object.fromEntries(changes) as AttributeChanges;
}

const isEmpty = (changes: AttributeChanges): boolean => Object.keys(changes).length === 0;
