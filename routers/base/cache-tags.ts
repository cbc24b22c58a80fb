/**
 * Cache tags, which name what a response depends on. Renderers of sites cache responses by the tags in their header, until a
 * webhook names one that has changed.
 */

export const CACHE_TAG_HEADER = 'x-gitbook-cache-tag';

export const siteTag = (site: string): string => `site:${site}`;
export const spaceTag = (space: string): string => `space:${space}`;
export const changeRequestTag = (space: string, changeRequest: string): string =>
  `space:${space}:change-request:${changeRequest}`;
export const specTag = (organization: string, slug: string): string =>
  `organization:${organization}:openapi:${slug}`;
