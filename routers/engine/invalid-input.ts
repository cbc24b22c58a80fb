import { invalidRequest } from '../../schema/json/problems.ts';
import { DomainError } from './errors.ts';

/** The error for an input with a problem, which its message and details name; `path` is empty for the input as a whole. */
export const invalidInput = (problem: { path: string; message: string }) =>
  new DomainError('invalid', invalidRequest(problem.path, problem.message), [problem]);
