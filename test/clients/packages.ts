import * as contract from '@gitbook/api';
import * as newest from 'gitbook-api-newest';
import { CLIENTS, type PublishedClient } from '../contract/operations.ts';

// The declarations of the packages do not resolve with Node's module resolution, so their methods have no types here.
// biome-ignore lint/suspicious/noExplicitAny: the published schemas check the shapes of responses
export type Published = any;

interface Package {
  version: string;
  /** Its operations and schemas. */
  client: PublishedClient;
  GitBookAPI: new (options: { authToken?: string; endpoint: string }) => Published;
  GitBookAPIError: new (...given: never[]) => Error;
}

/** The published clients, unmodified. */
export const PACKAGES = [contract, newest].map((program, index): Package => {
  const client = CLIENTS[index] as PublishedClient;
  const { GitBookAPI, GitBookAPIError } = program as Published;
  return { version: client.version, client, GitBookAPI, GitBookAPIError };
});
