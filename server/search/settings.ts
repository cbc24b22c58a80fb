import { z } from 'zod';

/** The search engine that stores the postings of search indexes instead of the database. */
export interface SearchSettings {
  /** The URL of the index, without credentials. */
  url: string;
  /** The value of the `Authorization` header, if the engine requires one. */
  authorization?: string;
}

/** The URL of an index of the search engine, which may contain a user name and a password. */
export const SearchUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
  .transform((text) => new URL(text))
  .refine(
    ({ pathname, search, hash }) => /^\/[a-z0-9][a-z0-9_-]{0,99}\/?$/.test(pathname) && !search && !hash,
    {
      error: 'must name an index: https://user:password@host:9200/colophon',
      abort: true,
    },
  )
  .transform(({ origin, pathname, username, password }, context): SearchSettings => {
    const url = `${origin}${pathname.replace(/\/$/, '')}`;
    if (username === '' && password === '') return { url };
    try {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
    } catch {
      context.addIssue({ code: 'custom', message: 'must have its name and password percent-encoded' });
      return z.NEVER;
    }
  });
