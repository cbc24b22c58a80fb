import type { ChangeOf, DocumentContent, EditChange } from '../edit/changes.ts';

/** A page of a template, with its children. */
export interface TemplatePage {
  title: string;
  type?: 'document' | 'group' | 'computed';
  description?: string;
  emoji?: string;
  icon?: string;
  content?: DocumentContent;
  /** The source of a computed page. */
  computed?: ChangeOf<'insert_page'>['computed'];
  pages?: readonly TemplatePage[];
}

/** The changes that create the pages of a template, at the end of the top level. */
export function insertChanges(pages: readonly TemplatePage[]): EditChange[] {
  const changes: EditChange[] = [];
  const add = (siblings: readonly TemplatePage[], into: string | null) => {
    for (const { pages: below = [], content, type = 'document', ...fields } of siblings) {
      const ref = `page-${changes.length}`;
      changes.push({
        operation: 'insert_page',
        ...fields,
        type,
        into,
        ref,
        ...(content && { document: content }),
      });
      add(below, ref);
    }
  };
  add(pages, null);
  return changes;
}
