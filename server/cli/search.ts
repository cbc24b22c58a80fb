import type { Command } from 'commander';
import { withInstallation } from './installation.ts';
import { helpText, organizationOption } from './options.ts';
import { pluralize, print, printJson, progressBar } from './output.ts';

/** `search rebuild`. */
export function addSearchCommands(program: Command): void {
  const search = program.command('search').description('search indexes of organizations');

  search
    .command('rebuild')
    .description('rebuild the search indexes, for example after restoring a part of the database')
    .addOption(organizationOption('id or title of the organization; all by default'))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'It may run while the service is running. Until it is done, searches find what has been indexed so far.',
      ),
    )
    .action(async ({ json, organization }: { organization?: string; json?: true }) =>
      withInstallation(async ({ operator }) => {
        const progress = partsBar();
        const result = await operator.search
          .rebuild({ ...(organization !== undefined && { organization }), onProgress: progress.show })
          .finally(progress.end);
        if (json) printJson(result);
        else
          print(
            `${pluralize(result.organizations, 'organization')}, ${pluralize(result.documents, 'document')} indexed`,
          );
      }),
    );
}

/** A progress bar over all organizations, each with a total of its own. */
function partsBar() {
  const bar = progressBar('{organization} [{bar}] {value}/{total} parts of a space');
  let isStarted = false;
  return {
    show({ done, total, organization }: { done: number; total: number; organization: string }) {
      if (!isStarted) bar.start(total, done, { organization });
      else {
        bar.setTotal(total);
        bar.update(done, { organization });
      }
      isStarted = true;
    },
    end() {
      if (isStarted) bar.stop();
    },
  };
}
