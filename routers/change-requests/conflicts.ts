import type { ConflictPlace } from '../engine/merge/conflicts.ts';
import type { ContentChange } from '../engine/store/diff.ts';

/** The conflicts that an edit resolves: those about something that it changed, as given in `changes`. */
export function conflictsTouchedBy<Conflict extends ConflictPlace>(
  conflicts: readonly Conflict[],
  changes: readonly ContentChange[],
): Conflict[] {
  // Both may be thousands.
  const changesOf = Map.groupBy(changes, subjectOf);
  return conflicts.filter((conflict) =>
    [conflict.page, conflict.file, conflict.reusableContent, conflict.variable && VARIABLES].some(
      (subject) =>
        subject === undefined ? false : changesOf.get(subject)?.some((change) => touches(change, conflict)),
    ),
  );
}

/** No id is like this. */
const VARIABLES = 'variables';

/** The id of what has changed. */
const subjectOf = (change: ContentChange): string => {
  if ('page' in change) return change.page.id;
  if ('file' in change) return change.file.id;
  return 'reusableContent' in change ? change.reusableContent.id : VARIABLES;
};

function touches(change: ContentChange, place: ConflictPlace): boolean {
  switch (change.type) {
    case 'page_created':
    case 'page_deleted':
      return place.page === change.page.id;
    case 'page_moved':
      return (
        place.page === change.page.id && (place.kind === 'page-placement' || place.kind === 'page-deleted')
      );
    case 'page_edited':
      return place.page === change.page.id && (place.kind === 'page-deleted' || hasField(change, place));
    case 'file_created':
    case 'file_edited':
    case 'file_deleted':
      return place.file === change.file.id;
    case 'reusable_content_created':
    case 'reusable_content_deleted':
      return place.reusableContent === change.reusableContent.id;
    case 'reusable_content_edited':
      return (
        place.reusableContent === change.reusableContent.id &&
        (place.kind === 'reusable-content-deleted' || hasField(change, place))
      );
    case 'variables_edited':
      return place.variable !== undefined && place.variable in change.variables;
  }
}

/** Whether an edit changed the field that a conflict is about; one about blocks is about the document. */
function hasField({ attributes }: { attributes: object }, { kind, field }: ConflictPlace): boolean {
  const isInDocument = kind === 'document-block' || kind === 'document-blocks';
  const [name] = isInDocument ? ['document'] : (field?.split('.') ?? []);
  return name !== undefined && name in attributes;
}
