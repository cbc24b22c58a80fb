import type { Hosting, Urls } from '../routers/base/ports.ts';

/** Text that is the same when encoded, as all ids are: this test takes a fraction of the time. */
const UNRESERVED = /^[\w-]*$/;

/** `base` is called each time: a port chosen by the system is known only after listening. */
export function createUrls(base: () => string, sitesDomain?: string): Urls {
  const join = (root: string, segments: string[]) => {
    let url = `${base()}/${root}`;
    for (const segment of segments)
      url += `/${UNRESERVED.test(segment) ? segment : encodeURIComponent(segment)}`;
    return url;
  };
  let hosting: { of: string; here: Hosting } | undefined;
  return {
    absolute: (path) => `${base()}${path}`,
    location: (...segments) => join('v1', segments),
    app: (...segments) => join('app', segments),
    get hosting() {
      const of = base();
      if (hosting?.of !== of) hosting = { of, here: hostingAt(of, sitesDomain) };
      return hosting.here;
    },
  };
}

/** Other hostnames have the protocol and the port of the service itself. */
function hostingAt(base: string, sitesDomain: string | undefined): Hosting {
  const { protocol, hostname, port } = new URL(base);
  return { hostname, sitesDomain, rootOf: (other) => `${protocol}//${other}${port && `:${port}`}` };
}
