import { type Command, InvalidArgumentError } from 'commander';
import { EXIT_INCOMPLETE, IncompleteError } from './exit-codes.ts';
import { restoreFrom, withInstallation } from './installation.ts';
import { helpText } from './options.ts';
import { pluralize, print, printJson, progressBar } from './output.ts';

/** `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write the whole installation into one file, while it runs')
    .argument('<file>', 'a new file, such as backup.tar.gz', parseNewFile)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        `The file has a snapshot of all tables, the stored files and the waiting jobs, but not the settings in the environment. It has every secret of the installation: only its owner may read it. It does not depend on the version of PostgreSQL. The exit code is ${EXIT_INCOMPLETE} if files are missing that content refers to.`,
      ),
    )
    .action(async (file: string, { json }: { json?: true }) =>
      withInstallation(async ({ backUp }) => {
        const { onProgress, stop } = percentageBar('tables and files');
        const summary = await backUp(file, { onProgress }).finally(stop);
        if (json) printJson(summary);
        else print(textOf(summary));
        const { missingFiles } = summary;
        if (missingFiles > 0)
          throw new IncompleteError(
            `The backup is missing ${pluralize(missingFiles, 'file')} that content or OpenAPI specs refer to, because the storage does not have them: are DATA_DIR and FILES_URL those of the service?`,
          );
      }),
    );

  program
    .command('restore')
    .description('restore a backup into an empty installation, completely or not at all')
    .argument('<file>', 'a file that `backup` wrote')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'The environment selects the installation, as always. It must be empty: a new database, or a new DATA_DIR, on which the service has not been started yet. A backup of an earlier version is upgraded, one of a newer version is rejected.',
      ),
    )
    .action(async (file: string, { json }: { json?: true }) => {
      const { onProgress, stop } = percentageBar('bytes');
      const summary = await restoreFrom(file, onProgress).finally(stop);
      if (json) printJson(summary);
      else print(textOf(summary));
    });
}

function parseNewFile(path: string): string {
  if (path === '-')
    throw new InvalidArgumentError('A backup is not written to standard output: name a new file.');
  return path;
}

const textOf = ({
  tables,
  rows,
  files,
  jobs,
}: Record<'tables' | 'rows' | 'files' | 'jobs', number>): string =>
  `${pluralize(tables, 'table')} with ${pluralize(rows, 'row')}, ${pluralize(files, 'file')}, ${pluralize(jobs, 'job')}`;

function percentageBar(unit: string) {
  const bar = progressBar(`${unit} [{bar}] {percentage}%`);
  const onProgress = ({ done, total }: { done: number; total: number }) => {
    if (bar.isActive) bar.update(done);
    else bar.start(total, done);
  };
  return { onProgress, stop: () => bar.stop() };
}
