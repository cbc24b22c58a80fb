/** Codes of domain errors; `routers/base/trpc-errors.ts` maps them to statuses. */
export type DomainErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'too-many'
  | 'unavailable';

/** An error that is reported to the caller; the message is one plain sentence. */
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

/** A task needed more time or memory than it may use, and would again if it was retried. */
export class LimitExceeded extends DomainError {}

/** Too many attempts: further ones are refused for a while. */
export class TooManyAttempts extends DomainError {
  /** How long, in milliseconds. */
  readonly left: number;

  constructor(left: number) {
    const minutes = Math.ceil(left / 60_000);
    super(
      'too-many',
      `Too many attempts; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    );
    this.left = left;
  }
}

/** The error for something that does not exist or that the caller may not view, without revealing which. */
export const notFound = (what: string) => new DomainError('not-found', `There is no such ${what}.`);
