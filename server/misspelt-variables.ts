import { VARIABLES } from './environment.ts';

/** Shorter names, such as `PORT`, are one letter away from too many variables of other programs. */
const MIN_LENGTH = 7;

const lettersOf = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** Whether two different texts are one letter apart: added, left out, replaced, or exchanged with the next one. */
function isOneLetterApart(first: string, second: string): boolean {
  let start = 0;
  while (start < first.length && first[start] === second[start]) start++;
  const [a, b] = [first.slice(start), second.slice(start)];
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a.slice(2) === b.slice(2) && a[0] === b[1] && a[1] === b[0])
  );
}

function isMisspelling(variable: string, setting: string): boolean {
  const [given, meant] = [lettersOf(variable), lettersOf(setting)];
  return given === meant || (meant.length >= MIN_LENGTH && isOneLetterApart(given, meant));
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
