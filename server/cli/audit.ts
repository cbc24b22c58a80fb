import { type Command, InvalidArgumentError } from 'commander';
import type { Verification } from '../../routers/audit/verify.query.ts';
import { withInstallation } from './installation.ts';
import { helpText, organizationOption } from './options.ts';
import { note, pluralize, print, printJson, printLine, progressBar } from './output.ts';

const logOption = () =>
  organizationOption('id or title of the organization, or "installation"; all logs by default');

interface ExportOptions {
  organization?: string;
  from?: string;
  to?: string;
  action?: string;
  actor?: string;
  target?: string;
  targetType?: string;
}

/** `audit verify` and `audit export`. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('the audit log');

  audit
    .command('verify')
    .description('check that no sealed audit event was changed, moved, inserted or removed')
    .addOption(logOption())
    .option(
      '--anchor <number:hash>',
      'also check that the log still has this event, which an earlier run printed as its head',
      parseAnchor,
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        'Exits with 1 and names the first broken event if there is one. Keep the printed heads elsewhere: anyone who can write to the database could recompute all hashes, or truncate a log together with its head.',
      ),
    )
    .action(async ({ organization, anchor, json }: VerifyOptions) =>
      withInstallation(async ({ operator }) => {
        const bar = progressBar('events [{bar}] {value}/{total}');
        let current: string | undefined;
        const verified = await operator.audit
          .verify({
            organization,
            anchor,
            onProgress: ({ log, done, total }) => {
              if (log !== current) bar.start(total, done);
              else bar.update(done);
              current = log;
            },
          })
          .finally(() => bar.stop());
        if (json) printJson(verified);
        else for (const result of verified) print(summaryOf(result));
        const broken = verified.flatMap(({ log, fault }) => (fault ? [{ log, ...fault }] : []));
        for (const { log, number, id, problem } of broken)
          note(`Log ${log}: event ${number}${id === undefined ? '' : ` (${id})`} ${problem}.`);
        if (broken.length > 0)
          throw new Error(
            `${broken.length} of ${pluralize(verified.length, 'audit log')} ${broken.length === 1 ? 'is' : 'are'} broken.`,
          );
      }),
    );

  audit
    .command('export')
    .description('print audit events as JSON lines, oldest first')
    .addOption(logOption())
    .option('--from <time>', 'only events at this time or later, in ISO 8601')
    .option('--to <time>', 'only events at this time or earlier, in ISO 8601')
    .option('--action <action>', 'only events of this action, such as member.removed')
    .option('--actor <id>', 'only events of the actor with this id')
    .option('--target <id>', 'only events about the object with this id')
    .option('--target-type <type>', 'only events about this type of object, such as space')
    .action(async (options: ExportOptions) =>
      withInstallation(async ({ operator }) => {
        for await (const event of await operator.audit.export(options)) {
          if (!(await printLine(JSON.stringify(event)))) break;
        }
      }),
    );
}

interface VerifyOptions {
  organization?: string;
  anchor?: { number: number; hash: string };
  json?: true;
}

function parseAnchor(text: string): { number: number; hash: string } {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === undefined || hash === undefined)
    throw new InvalidArgumentError('Use the number and the hash of an event, such as 12:0f…');
  return { number: Number(number), hash };
}

function summaryOf({ log, verified, erased, removed, unsealed, oldestUnsealed, head }: Verification): string {
  const parts = [
    `${pluralize(verified, 'sealed event')} verified`,
    ...(erased > 0 ? [`personal data of ${erased} erased`] : []),
    ...(removed > 0 ? [`${removed} removed because of their age`] : []),
    ...(unsealed > 0 ? [`${unsealed} not sealed yet, the oldest is ${oldestUnsealed}`] : []),
    `head ${head.number}:${head.hash}`,
  ];
  return `${log}: ${parts.join('; ')}`;
}
