/** Deeper than any document, and shallow enough for schemas that follow the nesting. */
const MAX_DEPTH = 500;

/**
 * Finds the first value that no procedure accepts, whatever its schema: invalid Unicode, excessive nesting, and numbers
 * that JSON does not have. Object keys are checked as well: they may end up in JSON columns.
 * @returns the problem and where it is, as a dotted path, or undefined.
 */
export function inputProblem(value: unknown): { path: string; message: string } | undefined {
  const problem = problemWith(value);
  return problem && { path: problem.keys.join('.'), message: problem.message };
}

/** Like {@link inputProblem}, with the path as a list of keys. */
export function problemWith(value: unknown): { keys: string[]; message: string } | undefined {
  const keys: string[] = [];
  const message = problemIn(value, keys, 0);
  return message === undefined ? undefined : { keys: keys.reverse(), message };
}

const NOT_TEXT = 'must be valid Unicode without NUL';
const isText = (value: string) => !value.includes('\0') && value.isWellFormed();

/** The path is built only when returning from a problem, so that valid input costs only the walk. */
function problemIn(value: unknown, keys: string[], depth: number): string | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : NOT_TEXT;
  if (typeof value === 'bigint') return 'must be a number';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  // Not with `Object.entries`: its pairs cost more than the walk.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const message = problemIn(value[index], keys, depth + 1);
      if (message !== undefined) return at(index, message, keys, depth);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!isText(key)) return NOT_TEXT;
    const message = problemIn((value as Record<string, unknown>)[key], keys, depth + 1);
    if (message !== undefined) return at(key, message, keys, depth);
  }
  return undefined;
}

/** Adds a key to the path of a problem; keys of very deep nesting are left out. */
function at(key: string | number, message: string, keys: string[], depth: number): string {
  if (depth < 50) keys.push(String(key));
  return message;
}
