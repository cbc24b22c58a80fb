/** The path at which anyone can read the latest version of a public OpenAPI spec. */
export const publishedPath = ({ organization, slug }: { organization: string; slug: string }): string =>
  `/openapi/${organization}/${slug}`;

/** The media types of the formats. */
export const MEDIA_TYPES = {
  json: 'application/json',
  // RFC 9512
  yaml: 'application/yaml',
} as const;
