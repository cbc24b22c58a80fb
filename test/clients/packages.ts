import * as contract from '@gitbook/api';
import * as newest from 'gitbook-api-newest';
import { CLIENTS, type PublishedClient } from '../contract/operations.ts';

// The declarations of the packages do not resolve under Node's rules for modules: their methods have no types here.
// biome-ignore lint/suspicious/noExplicitAny: the published schemas check the shapes of answers
export type Published = any;

interface Package {
  version: string;
  /** What its schemas say. */
  client: PublishedClient;
  GitBookAPI: new (options: { authToken?: string; endpoint: string }) => Published;
  GitBookAPIError: new (...given: never[]) => Error;
}

/** The published clients, as they are. */
export const PACKAGES = [contract, newest].map((program, index): Package => {
  const client = CLIENTS[index] as PublishedClient;
  const { GitBookAPI, GitBookAPIError } = program as Published;
  return { version: client.version, client, GitBookAPI, GitBookAPIError };
});
