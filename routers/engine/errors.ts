/** What went wrong below the procedures, in the terms of the domain; mapped to a status once, in `trpc.ts`. */
export type DomainErrorCode =
  | 'invalid'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'unavailable';

/** An error that the caller should read: the message is one plain sentence. */
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

/** Nothing by that name, or nothing that the caller may see: the two are told apart to nobody. */
export const notFound = (what: string) => new DomainError('not-found', `There is no such ${what}.`);
