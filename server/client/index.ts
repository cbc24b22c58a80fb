import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  loggerLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { EventSource } from 'eventsource';
import superjson from 'superjson';
import type { AppRouter } from '../../routers/index.ts';

export type { AppRouter };

/** Every procedure, typed: `client.spaces.get.query({ spaceId })`, `client.spaces.update.mutate({ spaceId, title })`. */
export type Client = TRPCClient<AppRouter>;

/** The input and output types of each procedure: `Outputs['spaces']['get']`. */
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;

/**
 * The error that a call throws. `data` has the `code`, the `httpStatus` and, for invalid input, `details`. It is missing if the
 * service was not reached; `meta.response` is then the response of whatever responded instead, such as a proxy.
 */
export type ClientError = TRPCClientError<AppRouter>;

export interface ClientOptions {
  /** URL of the service, for example `https://docs.example.com`. */
  url: string;
  /** An API token, or a function that returns one for each request. Without one, calls are anonymous. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Additional headers of each request, or a function that returns them. */
  headers?:
    | Record<string, string>
    | (() => Record<string, string> | Promise<Record<string, string>>)
    | undefined;
  /** Sends the requests instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Links that each call passes through before it is sent, such as a `retryLink`. */
  links?: TRPCLink<AppRouter>[] | undefined;
  /** Logs each call and its result, as tRPC's `loggerLink` does by default or with these options. */
  logger?: boolean | LoggerOptions | undefined;
}

export type LoggerOptions = NonNullable<Parameters<typeof loggerLink<AppRouter>>[0]>;

/** Maximum number of calls in one request; the limit of the service. */
const MAX_BATCH = 50;

/** Maximum URL length in characters; longer calls are split into several requests. The service rejects more than 16 kB. */
const MAX_ADDRESS = 8000;

/**
 * Creates a client of one service. Concurrent calls are batched into one request. Subscriptions reconnect by themselves,
 * also while the service is unavailable, and resume where they left off.
 */
export function createClient(options: ClientOptions): Client {
  const { url, token, links = [], logger = false, fetch: send = globalThis.fetch } = options;
  const common = { url: `${url.replace(/(?<!\/)\/+$/, '')}/trpc`, transformer: superjson };
  const headers = async (): Promise<Record<string, string>> => {
    const secret = typeof token === 'function' ? await token() : token;
    const others = typeof options.headers === 'function' ? await options.headers() : options.headers;
    return { ...others, ...(secret && { authorization: `Bearer ${secret}` }) };
  };
  return createTRPCClient<AppRouter>({
    links: [
      ...(logger ? [loggerLink<AppRouter>(logger === true ? {} : logger)] : []),
      ...links,
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          ...common,
          // The EventSource of browsers cannot send headers.
          EventSource,
          eventSourceOptions: {
            fetch: async (address, init) =>
              requireAvailable(
                url,
                await send(address, { ...init, headers: { ...init.headers, ...(await headers()) } }),
              ),
          },
        }),
        false: httpBatchLink({
          ...common,
          maxItems: MAX_BATCH,
          maxURLLength: MAX_ADDRESS,
          headers,
          fetch: (async (address: string, init: RequestInit) =>
            requireService(url, await send(address, init))) as never,
        }),
      }),
    ],
  });
}

/**
 * Returns the response if it may be that of procedures. Others are those of proxies, whose error pages are not JSON, and of
 * other URLs of the service.
 */
async function requireService(url: string, response: Response): Promise<Response> {
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
  if (isJson && response.ok) return response;
  const body = parsed(await response.clone().text());
  if ([body].flat().every(isResult)) return response;
  const message = `${url} did not respond as a Colophon service (status ${response.status}).`;
  throw new TRPCClientError(message, { meta: { response } });
}

/**
 * Returns the response to a subscription, unless the service is only unavailable for a while, such as behind a proxy while
 * it restarts. EventSource gives up after any error response, but reconnects after a failure of `fetch`.
 */
async function requireAvailable(url: string, response: Response): Promise<Response> {
  const { status, body } = response;
  if (status !== 429 && status < 500) return response;
  await body?.cancel();
  throw new Error(`${url} is not available at the moment (status ${status}).`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value has the form of the result or the error of a procedure. */
const isResult = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('result' in value ||
    ('error' in value && typeof value.error === 'object' && value.error !== null && 'json' in value.error));

/** Whether a thrown value is the error of a call. */
export const isClientError = (thrown: unknown): thrown is ClientError => thrown instanceof TRPCClientError;
