import { createTRPCClient, httpBatchLink, type TRPCClient, TRPCClientError } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import superjson from 'superjson';
import type { AppRouter } from '../../routers/index.ts';

export type { AppRouter };

/** Every procedure, typed: `client.spaces.get.query({ spaceId })`, `client.spaces.update.mutate({ spaceId, title })`. */
export type Client = TRPCClient<AppRouter>;

/** What each procedure takes and gives: `Outputs['spaces']['get']`. */
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;

/** What a call throws. `data` has the `code`, the `httpStatus` and, for an input that is not valid, `details`. */
export type ClientError = TRPCClientError<AppRouter>;

export interface ClientOptions {
  /** Where the service is reached, for example `https://docs.example.com`. */
  url: string;
  /** An access token, or a function that gives one for each request. */
  token?: string | (() => string | Promise<string>);
}

/** Calls in one request; the service takes no more. */
const MAX_BATCH = 50;

/** Longer addresses are split into several requests, in characters; servers refuse those of 16 KB. */
const MAX_ADDRESS = 8000;

/** Makes a client of one service. Calls made at once travel in one request. */
export function createClient({ url, token }: ClientOptions): Client {
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url.replace(/(?<!\/)\/+$/, '')}/trpc`,
        transformer: superjson,
        maxItems: MAX_BATCH,
        maxURLLength: MAX_ADDRESS,
        async headers() {
          const secret = typeof token === 'function' ? await token() : token;
          return secret ? { authorization: `Bearer ${secret}` } : {};
        },
      }),
    ],
  });
}

/** Whether something thrown is the failure of a call. */
export const isClientError = (thrown: unknown): thrown is ClientError => thrown instanceof TRPCClientError;
