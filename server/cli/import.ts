import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import type { ImportProgress } from '../../routers/content/import.operation.ts';
import { withInstallation } from './installation.ts';
import { note, print, printJson } from './output.ts';

interface ImportOptions {
  space: string;
  organization?: string;
  user?: string;
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
    .description('import a documentation repository into a space; run it again to import later changes')
    .argument(
      '<folder>',
      'the repository: a folder of Markdown files, with or without SUMMARY.md and .gitbook.yaml',
    )
    .requiredOption('--space <title>', 'title or id of the space; a new title creates a new space')
    .option('--organization <org>', 'id or title of the organization; required if there are several')
    .option('--user <user>', 'author of the revision, by e-mail address or id; the first admin by default')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nProblems are listed on standard error, file by file; they do not stop the import.',
    )
    .action(async (folder: string, { json, ...options }: ImportOptions) =>
      withInstallation(async ({ call }) => {
        const progress = progressBar();
        const outcome = await call.installation.content
          .importFolder({ folder, ...options, onProgress: progress.show })
          .finally(progress.end);
        if (json) return printJson(outcome);
        for (const { file, line, severity, message } of outcome.report)
          note(`${file}${line === undefined ? '' : `:${line}`}: ${severity}: ${message}`);
        const { pages, files, reusableContents, newObjects, space, revision } = outcome;
        print(
          `${pages} pages, ${files} files, ${reusableContents} reusable contents; ${newObjects} new objects`,
        );
        print(`space ${space}, revision ${revision}`);
      }),
    );
}

/** A progress bar on standard error for each step; without a terminal, an occasional line. */
function progressBar() {
  const bar = new SingleBar({
    format: '{step} [{bar}] {value}/{total}',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 5000,
  });
  let current: ImportProgress['step'] | undefined;
  return {
    show({ step, done, total }: ImportProgress) {
      if (step !== current) {
        if (current) bar.stop();
        current = step;
        bar.start(total, done, { step: STEPS[step] });
      } else bar.update(done);
    },
    end: () => bar.stop(),
  };
}
