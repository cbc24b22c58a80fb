import { z } from 'zod';
import type { Changes } from '../engine/store/changes.ts';
import type { ContentChange } from '../engine/store/diff.ts';

/** A change that an import made, or in a dry run would have made. */
const ImportChangeObject = z.object({
  type: z.string().describe('Such as `page_created`; a page that was both edited and moved is there twice.'),

  title: z
    .string()
    .optional()
    .describe('The title of a page or reusable content, or the name of a file; absent for variables.'),

  path: z.string().optional().describe('The path of a page; absent for everything else.'),
});

/** The first changes, and the number of the others. */
const ImportChangesObject = z.object({
  changes: z.array(ImportChangeObject).describe('The first changes.'),
  more: z.number().int().describe('How many changes there are beside those listed.'),
});

/** The result of an import. */
export const ImportOutcomeObject = z.object({
  space: z
    .string()
    .describe('Id of the space, and of its active revision: the same as before if nothing new came in.'),
  revision: z.string().describe('The id of the active revision of the space.'),

  pages: z.number().int().describe('How many pages the source has.'),
  files: z.number().int().describe('How many files the source has.'),
  reusableContents: z.number().int().describe('How many reusable contents the source has.'),

  newObjects: z.number().int().describe('Content objects that were not stored before.'),
  /** What changed in the space. */
  ...ImportChangesObject.shape,

  changeRequest: ImportChangesObject.extend({
    id: z.string().describe('An opaque identifier that never changes.'),
    number: z.number().int().describe('Its number within the space.'),
    subject: z.string().describe('What it is about, in a line.'),
    conflicts: z.number().int().describe('How many conflicts there are to resolve.'),
  })
    .optional()
    .describe(
      'What did not go into the space: its difference from the space, and how many conflicts it has to resolve.',
    ),

  report: z
    .array(
      z.object({
        file: z.string().describe('The path in the source; `/` for the whole.'),
        line: z.number().int().optional().describe('The line in the file, from 1.'),
        severity: z
          .enum(['info', 'warning', 'error'])
          .describe('An `error` means that something of the source is missing in the space.'),
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
