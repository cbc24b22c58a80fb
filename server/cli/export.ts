import { type Command, InvalidArgumentError } from 'commander';
import { withInstallation } from './installation.ts';
import { helpText, organizationOption } from './options.ts';
import { note, pluralize, print, printJson, progressBar } from './output.ts';

interface ExportOptions {
  organization?: string;
  revision?: string;
  changeRequest?: string;
  delete?: true;
  json?: true;
}

/** Maximum number of extra files that are listed by name. */
const MAX_LISTED = 20;

/** `export`: writes a space into a folder, as a documentation repository. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write a space into a folder as Markdown, the reverse of an import')
    .argument('<space>', 'title or id of the space')
    .argument(
      '<folder>',
      'an empty or new folder, or a checkout that the space was imported from or exported to',
      parseFolder,
    )
    .addOption(organizationOption())
    .option('--revision <id>', 'a revision instead of the active one')
    .option('--change-request <number>', 'the content of a change request, by its number or id')
    .option('--delete', 'remove documentation from the folder that is no longer in the space')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'Unchanged files are not touched. Nothing is removed without --delete, and then only what an import of the folder would read. Symbolic links that lead out of the folder are rejected.',
      ),
    )
    .action(async (space: string, folder: string, { json, ...options }: ExportOptions) =>
      withInstallation(async ({ operator }) => {
        const bar = progressBar('files [{bar}] {value}/{total}');
        const onProgress = ({ done, total }: { done: number; total: number }) => {
          if (done === 1) bar.start(total, done);
          else bar.update(done);
        };
        const outcome = await operator.exports
          .writeFolder({ space, folder, ...options, onProgress })
          .finally(() => bar.stop());
        if (json) return printJson(outcome);
        const { files, written, removed, left, revision } = outcome;
        for (const path of left.slice(0, MAX_LISTED)) note(`${path}: not in the space, and left as it is`);
        if (left.length > MAX_LISTED)
          note(`Files that are not in the space either: ${left.length - MAX_LISTED} more`);
        print(`${pluralize(files, 'file')}, ${written} of them written; ${removed.length} removed`);
        print(`space ${outcome.space}, revision ${revision}`);
      }),
    );
}

function parseFolder(path: string): string {
  if (path === '-')
    throw new InvalidArgumentError('An export is not written to standard output: name a folder.');
  return path;
}
