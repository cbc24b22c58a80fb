import { Help, Option } from 'commander';

/** The width of the texts that follow the options, in characters, whatever that of the terminal. */
const HELP_WIDTH = 80;

const help = new Help();

/** `--organization`, which all commands about an organization have. */
export const organizationOption = (
  description = 'id or title of the organization; required if there are several',
): Option => new Option('--org, --organization <org>', description);

/** The description of an option in help. */
export const optionDescription = (option: Option): string =>
  `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;

/** A text that follows the options in help. */
export const helpText = (text: string): string => `\n${help.boxWrap(text, HELP_WIDTH)}`;
