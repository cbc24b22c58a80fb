import type { Command } from 'commander';
import { everyItem, withInstallation } from './installation.ts';
import { type RoleName, readRole, roleOption } from './member.ts';
import { USAGE } from './outcome.ts';
import { print, printJson, printTable } from './output.ts';

interface CreateOptions {
  email: string;
  name: string;
  organization?: string;
  role?: RoleName;
  json?: true;
}

/** `user create` and `user list`. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users of the installation');

  user
    .command('create')
    .description('create a user and print the id')
    .requiredOption('--email <address>', 'e-mail address of the user')
    .requiredOption('--name <name>', 'display name')
    .option('--organization <org>', 'id or title of an organization to add the user to')
    .addOption(roleOption())
    .option('--json', 'print the user as JSON')
    .action(async function (this: Command, { email, name, organization, role, json }: CreateOptions) {
      const member =
        organization !== undefined && role !== undefined ? { organization, role: readRole(role) } : undefined;
      if (!member && (organization ?? role) !== undefined)
        this.error('--organization and --role must be given together', { exitCode: USAGE });
      return withInstallation(async ({ call }) => {
        const created = await call.installation.users.create({ email, displayName: name, member });
        if (json) printJson(created);
        else print(created.id);
      });
    });

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
