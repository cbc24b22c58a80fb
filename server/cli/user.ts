import type { Command } from 'commander';
import { everyItem, withInstallation } from './installation.ts';
import { print, printJson, printTable } from './output.ts';

interface CreateOptions {
  email: string;
  name: string;
  adminOf?: string;
  json?: true;
}

/** `user create` and `user list`. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who have access');

  user
    .command('create')
    .description('add a user and print the id')
    .requiredOption('--email <address>', 'e-mail address, by which the user is known')
    .requiredOption('--name <name>', 'name to show')
    .option('--admin-of <organization>', 'organization, by id or title, that the user becomes an admin of')
    .option('--json', 'print the user as JSON')
    .action(async ({ email, name, adminOf, json }: CreateOptions) =>
      withInstallation(async ({ call }) => {
        const created = await call.installation.users.create({ email, displayName: name, adminOf });
        if (json) printJson(created);
        else print(created.id);
      }),
    );

  user
    .command('list')
    .description('list the users, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) =>
      withInstallation(async ({ call }) => {
        const users = await everyItem(call.installation.users.list);
        if (json) return printJson(users);
        printTable(
          ['id', 'email', 'name'],
          users.map(({ id, email, displayName }) => ({ id, email, name: displayName })),
        );
      }),
    );
}
