import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../schema/enums.ts';
import { listAll, withInstallation } from './installation.ts';
import { organizationOption } from './options.ts';
import { note, printJson, printTable } from './output.ts';

/** A role on the command line, where `guest` stands for the null role. */
export type RoleName = Role | 'guest';

export const parseRole = (name: RoleName): Role | null => (name === 'guest' ? null : name);

export const roleOption = () =>
  new Option('--role <role>', 'role in the organization').choices([...ROLES, 'guest']);

interface MemberOptions {
  organization?: string;
  user: string;
}

/** `member add`, `member list` and `member remove`. */
export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('members of an organization');

  member
    .command('add')
    .description('add a user to an organization, or change the role of a member')
    .addOption(organizationOption())
    .requiredOption('--user <user>', 'the user, by e-mail address or id')
    .addOption(roleOption().makeOptionMandatory())
    .option('--json', 'print the member as JSON')
    .action(async ({ role, json, ...named }: MemberOptions & { role: RoleName; json?: true }) =>
      withInstallation(async ({ operator }) => {
        const added = await operator.members.add({ ...named, role: parseRole(role) });
        if (json) printJson(added);
        else note(`${added.user.email} is a member of the organization, with the role ${role}.`);
      }),
    );

  member
    .command('list')
    .description('list the members of an organization, newest first')
    .addOption(organizationOption())
    .option('--json', 'print JSON')
    .action(async ({ organization, json }: { organization?: string; json?: true }) =>
      withInstallation(async ({ operator }) => {
        const members = await listAll((paging) => operator.members.list({ ...paging, organization }));
        if (json) return printJson(members);
        printTable(
          ['id', 'role', 'email', 'name'],
          members.map(({ id, role, user }) => ({
            id,
            role: role ?? 'guest',
            email: user.email ?? '',
            name: user.displayName,
          })),
        );
      }),
    );

  member
    .command('remove')
    .description('remove a member from an organization; the user is kept')
    .addOption(organizationOption())
    .requiredOption('--user <user>', 'the member, by e-mail address or id')
    .option('--json', 'print the result as JSON')
    .action(async ({ json, ...named }: MemberOptions & { json?: true }) =>
      withInstallation(async ({ operator }) => {
        const outcome = await operator.members.remove(named);
        if (json) printJson(outcome);
        else note('The member was removed.');
      }),
    );
}
