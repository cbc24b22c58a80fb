import { z } from 'zod';

/**
 * A problem with an input: `message` continues a sentence that begins with the path, as in "must be a number", or is a sentence
 * of its own.
 */
export interface Problem {
  path: PropertyKey[];
  message: string;
}

/** Every value of a body may have a problem: more than anyone reads. */
const MAX_PROBLEMS = 100;

/** The problems that a schema found in a value: at most the first 100. */
export const problemsOf = ({ issues }: z.ZodError): Problem[] =>
  issues
    .slice(0, MAX_PROBLEMS)
    .filter((issue, index, all) => !isWiderBound(issue, all[index + 1]))
    .flatMap(problemsOfIssue)
    .slice(0, MAX_PROBLEMS);

/** Whether a number is outside the range of exact integers, which Zod checks besides its bounds, and also outside of these. */
const isWiderBound = (issue: z.core.$ZodIssue, next: z.core.$ZodIssue | undefined): boolean =>
  (issue.code === 'too_small' || issue.code === 'too_big') &&
  issue.origin === 'int' &&
  next?.code === issue.code &&
  next.path.join('.') === issue.path.join('.');

/**
 * The message about a request with a problem, as one sentence; `path` is empty for the request as a whole. A problem that is a
 * sentence of its own stays one.
 */
export function invalidRequest(path: string, message: string): string {
  const isSentence = /^\p{Lu}/u.test(message);
  const subject = path === '' ? 'its content' : `\`${path}\``;
  return `The request is not valid: ${subject}${isSentence ? ':' : ''} ${message.replace(/\.$/, '')}.`;
}

function problemsOfIssue(issue: z.core.$ZodIssue): Problem[] {
  const { path, message } = issue;
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? message }];
  if (issue.code !== 'invalid_union' || message !== NO_MATCHING_OPTION) return [{ path, message }];
  const misfits = issue.errors.map(misfitsOf);
  const best = Math.min(...misfits);
  const options = issue.errors.filter((_, index) => misfits[index] === best);
  return problemsOfOptions(options.map((issues) => issues.flatMap(problemsOfIssue))).map((problem) => ({
    ...problem,
    path: [...path, ...problem.path],
  }));
}

const OTHER_TYPE = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/**
 * How badly an option fits a value: the number of properties that are missing or should have another value, which say that
 * another option was meant; infinite for a value of another type.
 */
function misfitsOf(issues: readonly z.core.$ZodIssue[]): number {
  if (issues.some(({ path, code }) => path.length === 0 && OTHER_TYPE.has(code))) return Infinity;
  return issues.filter(
    (issue) =>
      issue.path.length === 1 &&
      (issue.message === REQUIRED || (issue.code === 'invalid_value' && issue.values.length === 1)),
  ).length;
}

/** The problems with the option that was probably plausible, if there is one; otherwise what the options require. */
function problemsOfOptions(options: Problem[][]): Problem[] {
  // An option of another type altogether was not plausible.
  const plausible = options.filter((problems) => problems.every(({ path }) => path.length > 0));
  const fewest = Math.min(...plausible.map((problems) => problems.length));
  const nearest = plausible.filter((problems) => problems.length === fewest);
  const [only, ...others] = nearest;
  if (only && others.length === 0) return only;
  const alternatives = (only ? nearest : options).flatMap((problems) => problems.slice(0, 1));
  const places = new Set(alternatives.map(({ path }) => path.join('.')));
  const [place] = alternatives;
  if (place && places.size === 1)
    return [{ ...place, message: either(alternatives.map(({ message }) => message)) }];
  return [{ path: [], message: `must have a valid ${[...places].join(' or ')}` }];
}

/** "must be a string" and "must be null" as "must be a string or null". */
function either(messages: string[]): string {
  const [first, ...others] = [...new Set(messages)];
  return [first, ...others.map((message) => message.replace(/^must be /, ''))].join(' or ');
}

const REQUIRED = 'is required';

/** A placeholder where no option of a union matches: replaced by what the options require. */
const NO_MATCHING_OPTION = 'has a form that is not allowed';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

/** Types without a value, for properties that may not be given beside others. */
const ABSENT = new Set(['undefined', 'never']);

const FORMATS: Readonly<Record<string, string>> = {
  url: 'a URL',
  email: 'an e-mail address',
  base64url: 'base64url, without padding',
  datetime: 'a time in ISO 8601, such as 2030-01-31T12:00:00Z',
};

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

/** "be at most 5" or "have at most 5 items". */
function bounded(origin: string, bound: 'at least' | 'at most', count: number | bigint): string {
  const unit = UNITS[origin];
  return unit ? `have ${bound} ${count} ${count === 1 ? unit.slice(0, -1) : unit}` : `be ${bound} ${count}`;
}

const oneOf = (values: readonly unknown[]) => {
  const [first, ...others] = values.map((value) => JSON.stringify(value));
  return others.length === 0 ? first : `one of ${[first, ...others].join(', ')}`;
};

/** How many unknown properties a message names, and how much of each name, which callers choose. */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 50;

function unknown(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, MAX_NAME_LENGTH)));
  const more = names.length > MAX_NAMES ? ' and others' : '';
  return `the unknown ${names.length === 1 ? 'property' : 'properties'} ${shown.join(', ')}${more}`;
}

/** The message for an issue for which a schema has no message of its own. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return ABSENT.has(issue.expected)
        ? 'must be left out'
        : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'in the expected format'}`;
    case 'too_small':
      return issue.minimum === 1 && issue.origin in UNITS
        ? 'must not be empty'
        : `must ${bounded(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${bounded(issue.origin, 'at most', issue.maximum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${unknown(issue.keys)}`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be ${oneOf(issue.options)}` : NO_MATCHING_OPTION;
    default:
      return 'is not valid';
  }
}

z.config({ localeError: messageOf });
