import type { Command } from 'commander';
import { EXIT_USAGE } from './exit-codes.ts';
import { listAll, withInstallation } from './installation.ts';
import { helpText } from './options.ts';
import { note, print, printJson, printTable } from './output.ts';
import { prompt } from './prompt.ts';

interface CreateOptions {
  title: string;
  owner: string;
  json?: true;
}

/** `org create`, `list` and `delete`. */
export function addOrganizationCommands(program: Command): void {
  const organization = program.command('org').description('organizations');

  organization
    .command('create')
    .description('create an organization and print its id')
    .requiredOption('--title <title>', 'title of the organization')
    .requiredOption('--owner <user>', 'first admin, by e-mail address or id')
    .option('--json', 'print the organization as JSON')
    .action(async ({ title, owner, json }: CreateOptions) =>
      withInstallation(
        async ({ operator }) => {
          const created = await operator.organizations.create({ title, owner });
          if (json) printJson(created);
          else print(created.id);
        },
        { create: true },
      ),
    );

  organization
    .command('list')
    .description('list the organizations, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) =>
      withInstallation(async ({ operator }) => {
        const organizations = await listAll(operator.organizations.list);
        if (json) return printJson(organizations);
        printTable(
          ['id', 'members', 'title'],
          organizations.map(({ id, members, title }) => ({ id, members: String(members), title })),
        );
      }),
    );

  organization
    .command('delete')
    .description('delete an organization with everything in it: spaces, sites, members, tokens and the rest')
    .argument('<org>', 'the organization, by id or title')
    .option('--confirm <title>', 'the title of the organization, to confirm; asked for on a terminal')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'Users are kept, with what they have elsewhere, and so is the audit log of the organization. This cannot be undone: make a backup first.',
      ),
    )
    .action(async function (
      this: Command,
      named: string,
      { confirm, json }: { confirm?: string; json?: true },
    ) {
      const title = confirm ?? (await prompt(`Title of ${named}, to confirm: `));
      if (title === undefined)
        this.error('--confirm is required: the title of the organization', { exitCode: EXIT_USAGE });
      return withInstallation(async ({ operator }) => {
        const deleted = await operator.organizations.delete({ organization: named, confirm: title });
        if (json) printJson(deleted);
        else note('The organization was deleted.');
      });
    });
}
