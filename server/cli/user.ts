import type { Command } from 'commander';
import { EXIT_USAGE } from './exit-codes.ts';
import { listAll, withInstallation } from './installation.ts';
import { parseRole, type RoleName, roleOption } from './member.ts';
import { helpText, organizationOption } from './options.ts';
import { note, pluralize, print, printJson, printTable } from './output.ts';
import { prompt } from './prompt.ts';

const USER = ['--user <user>', 'the user, by e-mail address or id'] as const;

interface CreateOptions {
  email: string;
  name: string;
  organization?: string;
  role?: RoleName;
  json?: true;
}

/** `user create`, `list`, `password`, `reset-second-factor`, `disable`, `enable` and `erase`, also known as `delete`. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users of the installation');
  addCreate(user);
  addList(user);
  addErase(user);
  addPassword(user);
  addResetSecondFactor(user);
  addDisableAndEnable(user);
}

function addCreate(user: Command): void {
  user
    .command('create')
    .description('create a user and print the id')
    .requiredOption('--email <address>', 'e-mail address of the user')
    .requiredOption('--name <name>', 'display name')
    .addOption(organizationOption('id or title of an organization to add the user to'))
    .addOption(roleOption())
    .option('--json', 'print the user as JSON')
    .action(async function (this: Command, { email, name, organization, role, json }: CreateOptions) {
      const member =
        organization !== undefined && role !== undefined
          ? { organization, role: parseRole(role) }
          : undefined;
      if (!member && (organization ?? role) !== undefined)
        this.error('The options --organization and --role must be given together.', { exitCode: EXIT_USAGE });
      return withInstallation(
        async ({ operator }) => {
          const created = await operator.users.create({ email, displayName: name, member });
          if (json) printJson(created);
          else print(created.id);
        },
        { create: true },
      );
    });
}

function addList(user: Command): void {
  user
    .command('list')
    .description('list the users, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) =>
      withInstallation(async ({ operator }) => {
        const users = await listAll(operator.users.list);
        if (json) return printJson(users);
        printTable(
          ['id', 'email', 'name', 'disabled'],
          users.map(({ id, email, displayName, disabledAt }) => ({
            id,
            email,
            name: displayName,
            disabled: disabledAt ?? 'no',
          })),
        );
      }),
    );
}

function addErase(user: Command): void {
  user
    .command('erase')
    .alias('delete')
    .description(
      'remove a user from all organizations, and erase their name, addresses and audited personal data',
    )
    .argument('<user>', 'the user, by e-mail address or id')
    .option('--confirm <address>', 'the e-mail address of the user, to confirm; asked for on a terminal')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'What they wrote is kept, with "Removed user" as its author. Their tokens and sessions end at once. This cannot be undone.',
      ),
    )
    .action(async function (
      this: Command,
      named: string,
      { confirm, json }: { confirm?: string; json?: true },
    ) {
      const address = confirm ?? (await prompt(`E-mail address of ${named}, to confirm: `));
      if (address === undefined)
        this.error('--confirm is required: the e-mail address of the user', { exitCode: EXIT_USAGE });
      return withInstallation(async ({ operator }) => {
        const erased = await operator.users.erase({ user: named, confirm: address });
        if (json) printJson(erased);
        else note(`The user was erased, also from ${pluralize(erased.auditEvents, 'audit event')}.`);
      });
    });
}

function addPassword(user: Command): void {
  user
    .command('password')
    .description('print a link with which a user chooses a password; it works once, within a day')
    .requiredOption(...USER)
    .option('--stdin', 'instead, set a password that is read from standard input')
    .option('--json', 'print the result as JSON')
    .action(async ({ user, stdin, json }: { user: string; stdin?: true; json?: true }) => {
      const password = stdin && (await readLine());
      return withInstallation(async ({ operator }) => {
        if (password !== undefined) {
          await operator.users.setPassword({ user, password });
          if (json) printJson({ set: true });
          else note('The password is set, and all sessions of the user have ended.');
          return;
        }
        const link = await operator.users.createPasswordLink({ user });
        if (json) printJson(link);
        else print(link.url);
      });
    });
}

function addResetSecondFactor(user: Command): void {
  user
    .command('reset-second-factor')
    .description(
      'remove the authenticator app and the passkeys of a user who has lost them, and end all sessions of the user',
    )
    .requiredOption(...USER)
    .option('--json', 'print the result as JSON')
    .action(async ({ user, json }: { user: string; json?: true }) =>
      withInstallation(async ({ operator }) => {
        const outcome = await operator.users.removeSecondFactor({ user });
        if (json) printJson(outcome);
        else
          note(
            outcome.removed
              ? 'The second factor has been removed.'
              : 'The user has neither an authenticator app nor a passkey.',
          );
      }),
    );
}

function addDisableAndEnable(user: Command): void {
  for (const [name, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const)
    user
      .command(name)
      .description(
        disabled
          ? 'lock a user out at once: their tokens stop working, their sessions end; what they wrote is kept'
          : 'let a disabled user in again; their tokens work again, their sessions have ended',
      )
      .requiredOption(...USER)
      .option('--json', 'print the user as JSON')
      .action(async ({ user, json }: { user: string; json?: true }) =>
        withInstallation(async ({ operator }) => {
          const changed = await operator.users.setDisabled({ user, disabled });
          if (json) printJson(changed);
          else note(`${changed.email} is ${disabled ? 'disabled' : 'enabled'}.`);
        }),
      );
}

/** Standard input, without a line break at its end. */
async function readLine(): Promise<string> {
  let given = '';
  for await (const part of process.stdin.setEncoding('utf8')) given += part;
  return given.replace(/\r?\n$/, '');
}
