/** Builds every address in answers from the configured base, never from a request's Host header. */
export interface Urls {
  /** Absolute address of an object of the API: `location('spaces', id)`. */
  location(...segments: string[]): string;
  /** Absolute address of the page that a person would open. */
  app(...segments: string[]): string;
}

export function createUrls(publicUrl: string): Urls {
  const join = (base: string, segments: string[]) =>
    segments.reduce((url, segment) => `${url}/${encodeURIComponent(segment)}`, base);
  return {
    location: (...segments) => join(`${publicUrl}/v1`, segments),
    app: (...segments) => join(`${publicUrl}/app`, segments),
  };
}
