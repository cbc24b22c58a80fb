import { DomainError, type DomainErrorCode } from '../errors.ts';
import { ContentError } from '../store/errors.ts';

/** An error that names the change that failed and the field at fault; none of the changes is applied. */
export function changeError(code: DomainErrorCode, path: string, message: string): DomainError {
  return new DomainError(code, `Nothing was changed: ${path}: ${message}`, [{ path, message }]);
}

/** The field of a change that a reason of the store refers to. */
const FIELDS: Partial<Record<ContentError['reason'], string>> = {
  'page-not-found': 'page',
  'parent-not-found': 'into',
  'parent-cannot-hold-pages': 'into',
  'page-cycle': 'into',
  'page-too-deep': 'into',
};

/**
 * Runs `apply` with the first `count` changes of a request. If the store rejects them, finds the first change that fails
 * by bisection, which takes a few more runs, and throws an error that names it.
 */
export async function locateFailure<Result>(
  count: number,
  apply: (count: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await apply(count);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const [index, cause] = await firstFailure(count, error, apply);
    const field = FIELDS[cause.reason];
    throw changeError(cause.code, `changes.${index}${field ? `.${field}` : ''}`, cause.message);
  }
}

async function firstFailure(
  count: number,
  error: ContentError,
  apply: (count: number) => Promise<unknown>,
): Promise<[index: number, cause: ContentError]> {
  let passing = 0;
  let failing = count;
  let cause = error;
  while (failing - passing > 1) {
    const middle = (passing + failing) >>> 1;
    try {
      await apply(middle);
      passing = middle;
    } catch (refusal) {
      if (!(refusal instanceof ContentError)) throw refusal;
      failing = middle;
      cause = refusal;
    }
  }
  return [failing - 1, cause];
}
