/**
 * Names for what responses depend on, as renderers of sites know them: they keep responses by these names, which come in a
 * header of each response, until a webhook tells them that one has changed.
 */

export const CACHE_TAG_HEADER = 'x-gitbook-cache-tag';

export const siteTag = (site: string): string => `site:${site}`;
export const spaceTag = (space: string): string => `space:${space}`;
export const changeRequestTag = (space: string, changeRequest: string): string =>
  `space:${space}:change-request:${changeRequest}`;
export const specTag = (organization: string, slug: string): string =>
  `organization:${organization}:openapi:${slug}`;
