/** Builds all URLs in responses from the configured base, never from a request's Host header. */
export interface Urls {
  /** Absolute URL of an API object: `location('spaces', id)`. */
  location(...segments: string[]): string;
  /** Absolute URL of a path of the service that is made elsewhere. */
  absolute(path: string): string;
  /** Absolute URL of the page in the web app. */
  app(...segments: string[]): string;
}

/** `base` is called each time: a port chosen by the system is known only after listening. */
export function createUrls(base: () => string): Urls {
  const join = (root: string, segments: string[]) =>
    segments.reduce((url, segment) => `${url}/${encodeURIComponent(segment)}`, `${base()}/${root}`);
  return {
    absolute: (path) => `${base()}${path}`,
    location: (...segments) => join('v1', segments),
    app: (...segments) => join('app', segments),
  };
}
