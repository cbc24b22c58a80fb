import { invalidRequest } from '../../schema/json/problems.ts';
import { DomainError } from './errors.ts';

interface InputProblem {
  /** Empty for the input as a whole. */
  path: string;
  message: string;
}

/** An input has a problem, which the message and the details name. */
export class InvalidInput extends DomainError {
  constructor(problem: InputProblem) {
    super('invalid', invalidRequest(problem.path, problem.message), [problem]);
  }
}
