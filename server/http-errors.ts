import { TRPCError } from '@trpc/server';

/** What the HTTP layer itself refuses, in the words of the API. */
const REFUSALS: Record<number, { code: TRPCError['code']; message: string }> = {
  400: { code: 'BAD_REQUEST', message: 'The request could not be read.' },
  404: { code: 'NOT_FOUND', message: 'There is nothing at this address.' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'The body of the request is too large.' },
  414: { code: 'BAD_REQUEST', message: 'The address is too long.' },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'The body must be JSON, sent as application/json.' },
  429: { code: 'TOO_MANY_REQUESTS', message: 'There were too many requests; try again in a minute.' },
  503: { code: 'SERVICE_UNAVAILABLE', message: 'The service is too busy right now; try again soon.' },
};

/** Messages of particular refusals that deserve their own words. */
const BY_CODE: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body of the request is not valid JSON.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body is not the one announced.',
};

/** Turns an error of the HTTP layer into one of the API's; anything else is left for the general case. */
export function refusal(error: unknown): unknown {
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  const known = statusCode === undefined ? undefined : REFUSALS[statusCode];
  if (!known) return error;
  return new TRPCError({ code: known.code, message: (code && BY_CODE[code]) || known.message });
}
