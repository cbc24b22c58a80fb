import type { Command } from 'commander';
import type { ImportProgress } from '../../routers/base/ports.ts';
import type { ImportOutcome } from '../../routers/imports/import.operation.ts';
import { EXIT_INCOMPLETE, EXIT_USAGE, IncompleteError } from './exit-codes.ts';
import { withInstallation } from './installation.ts';
import { helpText, organizationOption } from './options.ts';
import { note, pluralize, print, printable, printJson, progressBar } from './output.ts';

interface ImportOptions {
  space: string;
  organization?: string;
  user?: string;
  site?: string;
  changeRequest?: true;
  dryRun?: true;
  json?: true;
}

const STEPS: Record<ImportProgress['step'], string> = {
  scan: 'scanning the folder',
  pages: 'pages',
  files: 'files',
  save: 'saving',
};

/** `import`: imports a documentation repository into a space. */
export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('import a documentation repository into a space; run it again to merge later changes')
    .argument(
      '<folder>',
      'the repository: a folder of Markdown files, with or without SUMMARY.md and .gitbook.yaml',
    )
    .requiredOption('--space <title>', 'title or id of the space; a new title creates a new space')
    .addOption(organizationOption())
    .option('--user <user>', 'author of the revision, by e-mail address or id; the first admin by default')
    .option(
      '--site <site>',
      'id or title of a site with the space, which gets the redirects of .gitbook.yaml',
    )
    .option('--change-request', 'put everything into a change request, as for a locked space')
    .option('--dry-run', 'print what would happen, without changing anything')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        `Changes made only in the folder since its last import are imported, and changes made only in the space are kept. If both sides changed the same place, the changes go into a change request, where the conflicts are resolved.
Problems in the folder are listed on standard error, file by file; they do not stop the import, unless .gitbook.yaml cannot be read, or its root does not exist: nothing is imported then, with exit code ${EXIT_USAGE}. The exit code is ${EXIT_INCOMPLETE} if any of them is an error: part of the folder is then missing in the space.`,
      ),
    )
    .action(async (folder: string, { json, ...options }: ImportOptions) =>
      withInstallation(
        async ({ operator }) => {
          const progress = stepBars(options.dryRun === true);
          const outcome = await operator.content
            .importFolder({ folder, ...options, onProgress: progress.show })
            .finally(progress.end);
          if (json) printJson(outcome);
          else printOutcome(outcome, options.dryRun === true);
          const errors = outcome.report.filter(({ severity }) => severity === 'error').length;
          if (errors > 0) throw new IncompleteError(`${pluralize(errors, 'error')} in the folder`);
        },
        // A dry run changes nothing.
        { create: !options.dryRun },
      ),
    );
}

function printOutcome(outcome: ImportOutcome, isDryRun: boolean): void {
  for (const { file, line, severity, message } of outcome.report)
    note(`${file}${line === undefined ? '' : `:${line}`}: ${severity}: ${message}`);
  const { pages, files, reusableContents, newObjects, space, revision, changeRequest } = outcome;
  const contents = pluralize(reusableContents, 'reusable content');
  print(
    `${pluralize(pages, 'page')}, ${pluralize(files, 'file')}, ${contents}; ${pluralize(newObjects, 'new object')}`,
  );
  printChanges(isDryRun ? 'would change in the space' : 'changed in the space', outcome, isDryRun);
  if (changeRequest) {
    const { number, subject, conflicts } = changeRequest;
    const name = `change request #${number} "${subject}", ${pluralize(conflicts, 'conflict')}`;
    printChanges(isDryRun ? `would change in ${name}` : `in ${name}`, changeRequest, isDryRun);
  }
  if (!isDryRun) print(`space ${space}, revision ${revision}`);
}

/** Prints the number of changes of each type and, with `details`, each change. */
function printChanges(
  where: string,
  { changes, more }: Pick<ImportOutcome, 'changes' | 'more'>,
  details: boolean,
): void {
  const counts = [...Map.groupBy(changes, ({ type }) => type)].map(([type, group]) =>
    describeChanges(group.length, type),
  );
  if (more > 0) counts.push(pluralize(more, 'more change'));
  print(`${where}: ${counts.join(', ') || 'nothing'}`);
  if (!details) return;
  for (const { type, title, path } of changes)
    print(printable(`  ${words(type)}${title === undefined ? '' : `: ${path ?? title}`}`));
  if (more > 0) print(`  and ${more} more`);
}

/** A count of changes such as "2 pages created"; changes of variables are not counted. */
function describeChanges(count: number, type: string): string {
  if (type === 'variables_edited') return words(type);
  const verb = type.lastIndexOf('_');
  return `${pluralize(count, words(type.slice(0, verb)))} ${type.slice(verb + 1)}`;
}

const words = (type: string): string => type.replaceAll('_', ' ');

/** A progress bar for each step. */
function stepBars(isDryRun: boolean) {
  const bar = progressBar('{step} [{bar}] {value}/{total}');
  let current: ImportProgress['step'] | undefined;
  return {
    show({ step, done, total }: ImportProgress) {
      // Nothing to show yet, or nothing that happens.
      if (total === 0 || (isDryRun && step === 'save')) return;
      if (step !== current) {
        if (current) bar.stop();
        current = step;
        bar.start(total, done, { step: STEPS[step] });
      } else bar.update(done);
    },
    end() {
      if (current) bar.stop();
    },
  };
}
