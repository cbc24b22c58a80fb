import type { Hosting, Urls } from '../routers/base/ports.ts';

/** Text that encoding does not change, such as all ids: this test takes a fraction of the time. */
const UNRESERVED = /^[\w-]*$/;

/** `getBaseUrl` is called each time: a port chosen by the system is known only after listening. */
export function createUrls(getBaseUrl: () => string, sitesDomain?: string): Urls {
  const join = (root: string, segments: string[]) => {
    let url = `${getBaseUrl()}/${root}`;
    for (const segment of segments)
      url += `/${UNRESERVED.test(segment) ? segment : encodeURIComponent(segment)}`;
    return url;
  };
  let cached: { baseUrl: string; hosting: Hosting } | undefined;
  return {
    absolute: (path) => `${getBaseUrl()}${path}`,
    location: (...segments) => join('v1', segments),
    app: (...segments) => join('app', segments),
    get hosting() {
      const baseUrl = getBaseUrl();
      if (cached?.baseUrl !== baseUrl) cached = { baseUrl, hosting: hostingAt(baseUrl, sitesDomain) };
      return cached.hosting;
    },
  };
}

/** Other hostnames have the protocol and the port of the service itself. */
function hostingAt(baseUrl: string, sitesDomain: string | undefined): Hosting {
  const { protocol, hostname, port } = new URL(baseUrl);
  return { hostname, sitesDomain, rootOf: (other) => `${protocol}//${other}${port && `:${port}`}` };
}
