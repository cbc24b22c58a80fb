/** Builds every address in answers from the configured base, never from a request's Host header. */
export interface Urls {
  /** Absolute address of an object of the API: `location('spaces', id)`. */
  location(...segments: string[]): string;
  /** Absolute address of a path of the service that is made elsewhere. */
  absolute(path: string): string;
  /** Absolute address of the page that a person would open. */
  app(...segments: string[]): string;
}

/** `base` is asked each time: a port that the system chooses is known only after listening. */
export function createUrls(base: () => string): Urls {
  const join = (root: string, segments: string[]) =>
    segments.reduce((url, segment) => `${url}/${encodeURIComponent(segment)}`, `${base()}/${root}`);
  return {
    absolute: (path) => `${base()}${path}`,
    location: (...segments) => join('v1', segments),
    app: (...segments) => join('app', segments),
  };
}
