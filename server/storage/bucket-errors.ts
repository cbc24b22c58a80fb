import { codeOf } from '../../routers/base/error-code.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import type { BucketSettings } from './bucket-settings.ts';

interface ServiceFailure {
  name?: string;
  message?: string;
  $metadata?: { httpStatusCode?: number };
}

/** The names of errors of the server or the network that may be temporary. */
const TRANSIENT = /^(SlowDown|ServiceUnavailable|InternalError|RequestTimeout|TimeoutError|AbortError)$/;

const REASONS: [RegExp, string][] = [
  [/^NoSuchBucket$/, 'There is no such bucket.'],
  [
    /^(CredentialsProviderError|CredentialsError)$/,
    'There are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.',
  ],
  [/^InvalidAccessKeyId$/, 'The server does not know the key of AWS_ACCESS_KEY_ID.'],
  [/^SignatureDoesNotMatch$/, 'AWS_SECRET_ACCESS_KEY is not that of AWS_ACCESS_KEY_ID.'],
  [/^(AccessDenied|Forbidden|403)$/, 'These credentials may not read, write, list and delete objects there.'],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed|301)$/,
    'It is in another region: name it in FILES_URL.',
  ],
];

/** Whether an error means that there is no such object. A missing bucket is another error. */
export const isMissing = (error: unknown): boolean =>
  codeOf(error) === 'ENOENT' || /^(NoSuchKey|NotFound)$/.test((error as ServiceFailure).name ?? '');

/** The error for a file that does not exist, with the code of the file system. */
export const missingFile = (): Error =>
  Object.assign(new Error('There is no such file.'), { code: 'ENOENT' });

/**
 * The error to throw for a failed request: a sentence with the name of the bucket. The error of the client is left out,
 * because it contains the signed request. If the failure may be temporary, callers get 503.
 */
export function storageFailure(error: unknown, { bucket, endpoint }: BucketSettings): Error {
  const { name = '', message, $metadata } = error as ServiceFailure;
  const status = $metadata?.httpStatusCode;
  const where = endpoint === undefined ? bucket : `${bucket} at ${endpoint}`;
  const reason = REASONS.find(([sign]) => sign.test(name))?.[1] ?? firstMessage(error) ?? message;
  const failure = new BucketError(`The bucket ${where} of FILES_URL cannot be used: ${reason}`);
  const isTransient =
    TRANSIENT.test(name) || (status === undefined ? codeOf(error) !== undefined : status >= 500);
  if (!isTransient) return failure;
  const outage = new DomainError('unavailable', 'The storage of files is not available right now.');
  outage.cause = failure;
  return outage;
}

/** The message of the first error: connecting to a name with several addresses fails once for each. */
const firstMessage = (error: unknown): string | undefined =>
  error instanceof AggregateError ? (error.errors[0] as Error | undefined)?.message : undefined;

/** The bucket cannot be used; the message tells the operator why. */
class BucketError extends Error {
  override readonly name = 'BucketError';
}
