import { z } from 'zod';
import type { Changes } from '../engine/store/changes.ts';
import type { ContentChange } from '../engine/store/diff.ts';

/** A change that an import made, or in a dry run would have made. */
const ImportChangeObject = z.object({
  /** Such as `page_created`; a page that was both edited and moved is there twice. */
  type: z.string(),
  /** The title of a page or reusable content, or the name of a file; absent for variables. */
  title: z.string().optional(),
  /** Of a page. */
  path: z.string().optional(),
});

/** The first changes, and the number of the others. */
const ImportChangesObject = z.object({
  changes: z.array(ImportChangeObject),
  more: z.number().int(),
});

/** The result of an import. */
export const ImportOutcomeObject = z.object({
  /** Id of the space, and of its active revision: the same as before if nothing new came in. */
  space: z.string(),
  revision: z.string(),
  /** What the source has. */
  pages: z.number().int(),
  files: z.number().int(),
  reusableContents: z.number().int(),
  /** Content objects that were not stored before. */
  newObjects: z.number().int(),
  /** What changed in the space. */
  ...ImportChangesObject.shape,
  /** What did not go into the space: its difference from the space, and how many conflicts it has to resolve. */
  changeRequest: ImportChangesObject.extend({
    id: z.string(),
    number: z.number().int(),
    subject: z.string(),
    conflicts: z.number().int(),
  }).optional(),
  /** Findings in the whole source, changed or not. */
  report: z.array(
    z.object({
      file: z.string(),
      line: z.number().int().optional(),
      severity: z.enum(['info', 'warning', 'error']),
      message: z.string(),
    }),
  ),
});

export const presentImportChanges = (found: Changes): z.infer<typeof ImportChangesObject> => ({
  changes: found.changes.map((change) => presentChange(change, found)),
  more: found.more,
});

function presentChange(
  change: ContentChange,
  { paths }: Pick<Changes, 'paths'>,
): z.infer<typeof ImportChangeObject> {
  const { type } = change;
  if ('page' in change) {
    const { id, title } = change.page;
    return { type, title, path: (type === 'page_deleted' ? paths.before : paths.after).get(id) };
  }
  if ('file' in change) return { type, title: change.file.name };
  return { type, title: 'reusableContent' in change ? change.reusableContent.title : undefined };
}
