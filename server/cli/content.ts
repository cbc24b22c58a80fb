import { type Command, Option } from 'commander';
import { CHANGE_REQUEST_STATUSES } from '../../schema/enums.ts';
import type { UserCalls } from '../tool/index.ts';
import { listAll, withInstallation } from './installation.ts';
import { organizationOption } from './options.ts';
import { print, printJson, printTable } from './output.ts';

const USER = [
  '--user <user>',
  'the user to act as, with their permissions and as the author, by e-mail address or id',
] as const;
const ofUser = () =>
  organizationOption('id or title of an organization of the user; required if there are several');
const JSON_OPTION = ['--json', 'print JSON'] as const;

const STATUSES = [...CHANGE_REQUEST_STATUSES, 'all'] as const;
type Status = (typeof STATUSES)[number];

interface UserOptions {
  user: string;
  organization?: string;
  json?: true;
}

/** `space`, `site` and `change-request`, each with `list` and `create`, run on behalf of a user. */
export function addContentCommands(program: Command): void {
  addSpaceCommands(program.command('space').description('spaces of an organization'));
  addSiteCommands(program.command('site').description('sites of an organization'));
  addChangeRequestCommands(program.command('change-request').description('change requests of a space'));
}

function addSpaceCommands(space: Command): void {
  space
    .command('list')
    .description('list the spaces that a user may view')
    .requiredOption(...USER)
    .addOption(ofUser())
    .option(...JSON_OPTION)
    .action((options: UserOptions) =>
      runAsUser(options, async (calls, organizationId) => {
        const spaces = await listAll((paging) => calls.spaces.list({ ...paging, organizationId }));
        if (options.json) return printJson(spaces);
        printTable(
          ['id', 'visibility', 'title'],
          spaces.map(({ id, visibility, title }) => ({ id, visibility, title })),
        );
      }),
    );
  space
    .command('create')
    .description('create an empty space and print its id')
    .requiredOption(...USER)
    .addOption(ofUser())
    .requiredOption('--title <title>', 'title of the space')
    .option(...JSON_OPTION)
    .action((options: UserOptions & { title: string }) =>
      runAsUser(options, async (calls, organizationId) => {
        const { title } = options;
        printCreated(await calls.spaces.create({ organizationId, title }), options);
      }),
    );
}

function addSiteCommands(site: Command): void {
  site
    .command('list')
    .description('list the sites that a user may view')
    .requiredOption(...USER)
    .addOption(ofUser())
    .option(...JSON_OPTION)
    .action((options: UserOptions) =>
      runAsUser(options, async (calls, organizationId) => {
        const sites = await listAll((paging) => calls.sites.list({ ...paging, organizationId }));
        if (options.json) return printJson(sites);
        printTable(
          ['id', 'visibility', 'published', 'title'],
          sites.map(({ id, visibility, published, title }) => ({
            id,
            visibility,
            published: published ? 'yes' : 'no',
            title,
          })),
        );
      }),
    );
  site
    .command('create')
    .description('create a site, which is not published yet, and print its id')
    .requiredOption(...USER)
    .addOption(ofUser())
    .requiredOption('--title <title>', 'title of the site')
    .option('--space <id...>', 'ids of spaces to put on it; the first one is the default')
    .option(...JSON_OPTION)
    .action((options: UserOptions & { title: string; space?: string[] }) =>
      runAsUser(options, async (calls, organizationId) => {
        const { title, space: spaces } = options;
        printCreated(await calls.sites.create({ organizationId, title, spaces }), options);
      }),
    );
}

function addChangeRequestCommands(changeRequest: Command): void {
  const SPACE = ['--space <id>', 'id of the space'] as const;
  changeRequest
    .command('list')
    .description('list the change requests of a space, newest first')
    .requiredOption(...USER)
    .requiredOption(...SPACE)
    .addOption(
      new Option('--status <status>', 'only those with this status').choices(STATUSES).default('all'),
    )
    .option(...JSON_OPTION)
    .action(({ user, space: spaceId, status, json }: UserOptions & { space: string; status: Status }) =>
      withInstallation(async ({ actAs }) => {
        const calls = await actAs(user);
        const all = await listAll((paging) =>
          calls.changeRequests.listInSpace({ ...paging, spaceId, status }),
        );
        if (json) return printJson(all);
        printTable(
          ['number', 'id', 'status', 'subject'],
          all.map(({ number, id, status, subject }) => ({ number: String(number), id, status, subject })),
        );
      }),
    );
  changeRequest
    .command('create')
    .description('create a change request, a draft of the content of a space, and print its id')
    .requiredOption(...USER)
    .requiredOption(...SPACE)
    .option('--subject <subject>', 'subject of the change request', '')
    .option(...JSON_OPTION)
    .action(({ user, space: spaceId, subject, json }: UserOptions & { space: string; subject: string }) =>
      withInstallation(async ({ actAs }) => {
        const calls = await actAs(user);
        printCreated(await calls.changeRequests.create({ spaceId, subject }), { json });
      }),
    );
}

function printCreated(created: { id: string }, { json }: { json?: true | undefined }): void {
  if (json) printJson(created);
  else print(created.id);
}

/** Runs some work as a user, in one of their organizations. */
const runAsUser = (
  { user, organization }: UserOptions,
  work: (calls: UserCalls, organizationId: string) => Promise<void>,
): Promise<void> =>
  withInstallation(async ({ actAs, operator }) => {
    const calls = await actAs(user);
    const { id } = await operator.organizations.find({ user, organization });
    await work(calls, id);
  });
