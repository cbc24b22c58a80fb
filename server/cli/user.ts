import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { everyItem, withInstallation } from './installation.ts';
import { type RoleName, readRole, roleOption } from './member.ts';
import { USAGE } from './outcome.ts';
import { note, print, printJson, printTable } from './output.ts';

interface CreateOptions {
  email: string;
  name: string;
  organization?: string;
  role?: RoleName;
  json?: true;
}

/** `user create`, `user list` and `user erase`. */
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

  user
    .command('erase')
    .description(
      'remove a user from all organizations, and erase their name, addresses and audited personal data',
    )
    .argument('<user>', 'the user, by e-mail address or id')
    .option('--confirm <address>', 'the e-mail address of the user once more; asked for on a terminal')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nWhat they wrote stays, by "Removed user". Their tokens and sessions end at once. This cannot be undone.',
    )
    .action(async function (
      this: Command,
      named: string,
      { confirm, json }: { confirm?: string; json?: true },
    ) {
      const address = confirm ?? (await ask(`E-mail address of ${named}, to confirm: `));
      if (address === undefined) this.error('--confirm is required', { exitCode: USAGE });
      return withInstallation(async ({ call }) => {
        const erased = await call.installation.users.erase({ user: named, confirm: address });
        if (json) printJson(erased);
        else note(`The user was erased, from ${erased.auditEvents} audit events, too.`);
      });
    });
}

/** Asks whoever sits at the terminal; undefined if there is none. */
async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
