/** Errors of the domain; mapped to a status in `trpc.ts`. */
export type DomainErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'too-many'
  | 'unavailable';

/** An error for the caller: the message is one plain sentence. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: DomainErrorCode;
  readonly details: { path: string; message: string }[] | undefined;

  constructor(code: DomainErrorCode, message: string, details?: { path: string; message: string }[]) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The error of a task that needs more time or memory than a task may use: it would again. */
export class LimitExceeded extends DomainError {}

/** Either does not exist or may not be viewed by the caller, who cannot tell which. */
export const notFound = (what: string) => new DomainError('not-found', `There is no such ${what}.`);
