import { DomainError, type DomainErrorCode } from '../errors.ts';

const CODES = {
  'invalid-value': 'invalid',
  'invalid-id': 'invalid',
  'page-not-found': 'not-found',
  'parent-not-found': 'not-found',
  'parent-cannot-hold-pages': 'invalid',
  'page-cycle': 'invalid',
  'page-too-deep': 'invalid',
  'file-not-found': 'not-found',
  'reusable-content-not-found': 'not-found',
} as const satisfies Record<string, DomainErrorCode>;

type ContentErrorReason = keyof typeof CODES;

/** A change of content was rejected; `page` is the id of the page concerned, if any. */
export class ContentError extends DomainError {
  override readonly name = 'ContentError';
  readonly reason: ContentErrorReason;
  readonly page: string | undefined;

  constructor(reason: ContentErrorReason, message: string, page?: string) {
    super(CODES[reason], message);
    this.reason = reason;
    this.page = page;
  }
}
