import { isOneEditApart } from '../routers/engine/search/spelling.ts';
import { VARIABLES } from './environment.ts';

/** Shorter names, such as `PORT`, are one letter away from too many variables of other programs. */
const MIN_LENGTH = 7;

const lettersOf = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, '');

function isMisspelling(variable: string, setting: string): boolean {
  const [given, meant] = [lettersOf(variable), lettersOf(setting)];
  return given === meant || (meant.length >= MIN_LENGTH && isOneEditApart(given, meant));
}

/** For each variable that is probably a misspelt setting, such as `DATADIR`, a sentence that says so without its value. */
export function misspeltVariables(environment: Record<string, string | undefined>): string[] {
  const isSet = (name: string) => !!environment[name];
  const missing = VARIABLES.filter((name) => !isSet(name));
  return Object.keys(environment)
    .filter((name) => isSet(name) && !VARIABLES.includes(name))
    .flatMap((variable) =>
      missing
        .filter((setting) => isMisspelling(variable, setting))
        .map((setting) => `${variable} is not a setting, and is ignored: it looks like ${setting}`),
    );
}
