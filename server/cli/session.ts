import type { Command } from 'commander';
import { EXIT_USAGE } from './exit-codes.ts';
import { listAll, withInstallation } from './installation.ts';
import { note, printJson, printTable } from './output.ts';

/** `session list` and `session end`. */
export function addSessionCommands(program: Command): void {
  const session = program.command('session').description('browsers in which users are signed in');

  session
    .command('list')
    .description('list the sessions, newest first')
    .option('--user <user>', 'only those of this user, by e-mail address or id')
    .option('--json', 'print JSON')
    .action(async ({ user, json }: { user?: string; json?: true }) =>
      withInstallation(async ({ operator }) => {
        const sessions = await listAll((paging) => operator.sessions.list({ ...paging, user }));
        if (json) return printJson(sessions);
        printTable(
          ['id', 'user', 'method', 'address', 'device', 'seen'],
          sessions.map(({ id, user: owner, method, address, device, lastSeenAt }) => ({
            id,
            user: owner.email,
            method,
            address,
            device,
            seen: lastSeenAt,
          })),
        );
      }),
    );

  session
    .command('end')
    .description('end a session, or all sessions of a user, effective immediately')
    .argument('[id]', 'id of the session, from the list')
    .option('--user <user>', 'all sessions of this user, by e-mail address or id')
    .option('--json', 'print the result as JSON')
    .action(async function (
      this: Command,
      id: string | undefined,
      { user, json }: { user?: string; json?: true },
    ) {
      if ((id === undefined) === (user === undefined))
        this.error('Specify either a session or --user.', { exitCode: EXIT_USAGE });
      return withInstallation(async ({ operator }) => {
        const { sessions } = operator;
        const outcome =
          user === undefined
            ? await sessions.end({ sessionId: id as string })
            : await sessions.endAll({ user });
        if (json) printJson(outcome);
        else note(outcome.ended === 1 ? 'The session has ended.' : `${outcome.ended} sessions have ended.`);
      });
    });
}
