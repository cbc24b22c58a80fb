import type { Urls } from '../routers/ports.ts';

/** Text that is the same when encoded, as all ids are: this test takes a fraction of the time. */
const UNRESERVED = /^[\w-]*$/;

/** `base` is called each time: a port chosen by the system is known only after listening. */
export function createUrls(base: () => string): Urls {
  const join = (root: string, segments: string[]) => {
    let url = `${base()}/${root}`;
    for (const segment of segments)
      url += `/${UNRESERVED.test(segment) ? segment : encodeURIComponent(segment)}`;
    return url;
  };
  return {
    absolute: (path) => `${base()}${path}`,
    location: (...segments) => join('v1', segments),
    app: (...segments) => join('app', segments),
  };
}
