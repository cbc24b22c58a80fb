import { Command, CommanderError, type ParseOptionsResult } from 'commander';
import { oneLine } from '../failures.ts';
import { VERSION } from '../version.ts';
import { addAuditCommands } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { addContentCommands } from './content.ts';
import { EXIT_FAILURE, EXIT_INCOMPLETE, EXIT_USAGE, failureOf } from './exit-codes.ts';
import { addExportCommand } from './export.ts';
import { addImportCommand } from './import.ts';
import { addInviteCommands } from './invite.ts';
import { addMemberCommands } from './member.ts';
import { addOpenApiCommand } from './openapi.ts';
import { addOpenApiSpecCommands } from './openapi-spec.ts';
import { helpText, optionDescription } from './options.ts';
import { addOrganizationCommands } from './org.ts';
import { addSearchCommands } from './search.ts';
import { addSecretCommands } from './secret.ts';
import { addSessionCommands } from './session.ts';
import { addTokenCommands } from './token.ts';
import { addUserCommands } from './user.ts';

/**
 * Runs one command line. Results go to standard output; notes, and errors as one line, go to standard error.
 * @param isStopped whether a signal has stopped the command: errors that follow from that are not printed
 * @returns the exit code: 0 success, 1 failure, 2 invalid usage, 3 an import that skipped something, a document that was
 *   rejected, or a backup with missing files
 */
export async function main(argv: string[], isStopped = () => false): Promise<number> {
  try {
    await program().parseAsync(argv);
    return 0;
  } catch (error) {
    // Commander has already printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    const { message, code } = await failureOf(error);
    if (!isStopped()) process.stderr.write(`${message}\n`);
    return code;
  }
}

/** A command that reports a misspelt option as such, rather than as the lack of the required one that it was meant to be. */
class SpellingCommand extends Command {
  override createCommand(name?: string): Command {
    return new SpellingCommand(name);
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(args);
    const { unknown } = parsed;
    const asksForHelp = unknown.includes('--help') || unknown.includes('-h');
    // Commander looks for required options first. What a group does not know is for its commands.
    if (this.commands.length === 0 && unknown.length > 0 && !asksForHelp)
      for (const option of this.options) option.mandatory = false;
    return parsed;
  }
}

function program(): Command {
  const program = new SpellingCommand('npm run cli --')
    .description('Manages an installation of Colophon, whether or not its service is running.')
    .version(VERSION, '--version', 'print the version')
    // So that commands may have an option of this name, too.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ optionDescription })
    .configureOutput({
      outputError: (text, write) => write(`${oneLine(text.replace(/^error: /, ''))}\n`),
    })
    .addHelpText(
      'after',
      helpText(
        `The environment selects the installation, as it does for the service: DATA_DIR, DATABASE_URL, FILES_URL. Printed links begin with PUBLIC_URL, or else with the address that HOST and PORT give.
Exit codes: 0 success, ${EXIT_FAILURE} failure, ${EXIT_USAGE} invalid usage, ${EXIT_INCOMPLETE} an import that skipped something, a document that was rejected, or a backup with missing files.`,
      ),
    );
  addUserCommands(program);
  addTokenCommands(program);
  addOrganizationCommands(program);
  addMemberCommands(program);
  addInviteCommands(program);
  addSessionCommands(program);
  addContentCommands(program);
  addImportCommand(program);
  addExportCommand(program);
  addOpenApiSpecCommands(program);
  addBackupCommands(program);
  addAuditCommands(program);
  addSearchCommands(program);
  addSecretCommands(program);
  addOpenApiCommand(program);
  return program;
}
