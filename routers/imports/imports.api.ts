import { z } from 'zod';
import type { Changes } from '../engine/store/changes.ts';
import type { ContentChange } from '../engine/store/diff.ts';

/** A change that an import made, or would have made in a dry run. */
const ImportChangeObject = z.object({
  type: z
    .string()
    .describe(
      'The kind of change, such as `page_created`; a page that was both edited and moved is listed twice.',
    ),

  title: z
    .string()
    .optional()
    .describe('The title of a page or reusable content, or the name of a file; absent for variables.'),

  path: z.string().optional().describe('The path of a page; absent for everything else.'),
});

/** The first changes, and the number of the others. */
const ImportChangesObject = z.object({
  changes: z.array(ImportChangeObject).describe('The first changes.'),
  more: z.number().int().describe('The number of changes that are not listed.'),
});

/** The result of an import. */
export const ImportOutcomeObject = z.object({
  space: z.string().describe('The id of the space.'),
  revision: z
    .string()
    .describe('The id of the active revision of the space: the same as before if nothing was new.'),

  pages: z.number().int().describe('The number of pages in the source.'),
  files: z.number().int().describe('The number of files in the source.'),
  reusableContents: z.number().int().describe('The number of reusable contents in the source.'),

  newObjects: z.number().int().describe('The number of content objects that were not stored before.'),
  /** What changed in the space. */
  ...ImportChangesObject.shape,

  changeRequest: ImportChangesObject.extend({
    id: z.string().describe('An opaque identifier that never changes.'),
    number: z.number().int().describe('Its number within the space.'),
    subject: z.string().describe('What it is about, in a line.'),
    conflicts: z.number().int().describe('The number of conflicts to resolve.'),
  })
    .optional()
    .describe(
      'The change request with what was not merged into the space, and how it differs from the space.',
    ),

  report: z
    .array(
      z.object({
        file: z.string().describe('The path in the source; `/` for the source as a whole.'),
        line: z.number().int().optional().describe('The line in the file, from 1.'),
        severity: z
          .enum(['info', 'warning', 'error'])
          .describe('How severe it is; `error` means that something in the source is missing in the space.'),
        message: z.string().describe('What was found, in a sentence.'),
      }),
    )
    .describe('Findings in the whole source, changed or not.'),
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
