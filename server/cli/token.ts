import type { Command } from 'commander';
import { parseExpiry } from './expiry.ts';
import { listAll, withInstallation } from './installation.ts';
import { note, print, printJson, printTable } from './output.ts';

interface CreateOptions {
  user: string;
  name?: string;
  expires?: string;
  read?: true;
  json?: true;
}

/** `token create`, `token list` and `token revoke`. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('API tokens');

  token
    .command('create')
    .description('create an API token and print it; it is shown only once')
    .requiredOption('--user <user>', 'owner, by e-mail address or id')
    .option('--name <name>', 'what the token is for')
    .option(
      '--expires <when>',
      'a duration such as 30d or 12h, or an ISO date; never by default',
      parseExpiry,
    )
    .option('--read', 'create a read-only token')
    .option('--json', 'print the token and its details as JSON')
    .action(async ({ user, name, expires, read, json }: CreateOptions) =>
      withInstallation(
        async ({ operator }) => {
          const scope = read ? 'read' : 'write';
          const created = await operator.tokens.create({ user, name, scope, expiresAt: expires });
          if (json) printJson(created);
          else print(created.token);
        },
        { create: true },
      ),
    );

  token
    .command('list')
    .description('list the API tokens, newest first, without their secrets')
    .option('--user <user>', 'only tokens of this owner, by e-mail address or id')
    .option('--json', 'print JSON')
    .action(async ({ user, json }: { user?: string; json?: true }) =>
      withInstallation(async ({ operator }) => {
        const tokens = await listAll((paging) => operator.tokens.list({ ...paging, user }));
        if (json) return printJson(tokens);
        printTable(
          ['id', 'user', 'scope', 'expires', 'used', 'name'],
          tokens.map(({ id, user: owner, scope, expiresAt, lastUsedAt, name }) => ({
            id,
            user: owner.email,
            scope,
            expires: expiresAt ?? 'never',
            used: lastUsedAt ?? 'never',
            name,
          })),
        );
      }),
    );

  token
    .command('revoke')
    .description('revoke an API token, effective immediately')
    .argument('<id>', 'id of the token, from the list')
    .option('--json', 'print the result as JSON')
    .action(async (tokenId: string, { json }: { json?: true }) =>
      withInstallation(async ({ operator }) => {
        const removal = await operator.tokens.revoke({ tokenId });
        if (json) printJson(removal);
        else note('The token was revoked.');
      }),
    );
}
