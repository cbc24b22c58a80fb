import type { Command } from 'commander';
import { withInstallation } from './installation.ts';
import { helpText } from './options.ts';
import { note, printJson } from './output.ts';

/** `secret rotate`. */
export function addSecretCommands(program: Command): void {
  const secret = program.command('secret').description('the signing secret of the installation');

  secret
    .command('rotate')
    .description('replace the signing secret, for example after a backup has leaked')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'Restart all processes of the service afterwards: until then, they use the old secret. What it has signed is then invalid, such as links to files and PDFs, previews, tokens of visitors, and cursors of lists. Sessions, API tokens, links in mails, webhooks and authenticator apps keep working.',
      ),
    )
    .action(async ({ json }: { json?: true }) =>
      withInstallation(async ({ operator }) => {
        const outcome = await operator.secret.rotate();
        if (json) printJson(outcome);
        else
          note(
            'The secret is replaced. Restart all processes of the service: until then, they use the old one.',
          );
      }),
    );
}
