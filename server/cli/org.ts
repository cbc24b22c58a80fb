import type { Command } from 'commander';
import { everyItem, withInstallation } from './installation.ts';
import { print, printJson, printTable } from './output.ts';

interface CreateOptions {
  title: string;
  owner: string;
  json?: true;
}

/** `org create` and `org list`. */
export function addOrganizationCommands(program: Command): void {
  const organization = program.command('org').description('organizations');

  organization
    .command('create')
    .description('create an organization and print its id')
    .requiredOption('--title <title>', 'title of the organization')
    .requiredOption('--owner <user>', 'first admin, by e-mail address or id')
    .option('--json', 'print the organization as JSON')
    .action(async ({ title, owner, json }: CreateOptions) =>
      withInstallation(async ({ operator }) => {
        const created = await operator.organizations.create({ title, owner });
        if (json) printJson(created);
        else print(created.id);
      }),
    );

  organization
    .command('list')
    .description('list the organizations, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) =>
      withInstallation(async ({ operator }) => {
        const organizations = await everyItem(operator.organizations.list);
        if (json) return printJson(organizations);
        printTable(
          ['id', 'members', 'title'],
          organizations.map(({ id, members, title }) => ({ id, members: String(members), title })),
        );
      }),
    );
}
