import type { Command } from 'commander';
import { parseExpiry } from './expiry.ts';
import { withInstallation } from './installation.ts';
import { parseRole, type RoleName, roleOption } from './member.ts';
import { organizationOption } from './options.ts';
import { print, printJson } from './output.ts';

interface CreateOptions {
  organization?: string;
  email?: string;
  role: RoleName;
  expires?: string;
  reusable?: true;
  json?: true;
}

/** `invite create`. */
export function addInviteCommands(program: Command): void {
  const invite = program.command('invite').description('invites to an organization');

  invite
    .command('create')
    .description('print a link by which somebody creates an account and joins an organization')
    .addOption(organizationOption())
    .option('--email <address>', 'who may use it, which verifies their address; anyone by default')
    .addOption(roleOption().makeOptionMandatory())
    .option(
      '--expires <when>',
      'a duration such as 12h, or an ISO date; with --email 30d by default and at most, otherwise never by default',
      parseExpiry,
    )
    .option('--reusable', 'let any number of people use it; only without --email')
    .option('--json', 'print the link as JSON')
    .action(async ({ organization, email, role, expires, reusable, json }: CreateOptions) =>
      withInstallation(
        async ({ operator }) => {
          const link = await operator.invites.create({
            organization,
            email,
            role: parseRole(role),
            expiresAt: expires,
            singleUse: !reusable,
          });
          if (json) printJson(link);
          else print(link.url);
        },
        { create: true },
      ),
    );
}
