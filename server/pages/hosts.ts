import type { IncomingMessage } from 'node:http';
import { CustomHostnameName } from '../../routers/addresses/hostnames.ts';
import type { Urls } from '../../routers/base/ports.ts';

/** The internal path prefix of requests to the hostnames of sites. */
export const HOSTED_PATH = '/~hosted';

/** Paths of the service that programs may use on any hostname; browsers get the site instead. */
const SERVICE_PATHS = /^\/(?:v1|trpc|files|healthz|readyz|metrics)(?:[/?]|$)/;

/** The host of a request, without its port. */
function hostOf({ headers }: IncomingMessage, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? headers['x-forwarded-host'] : undefined;
  const host =
    String(forwarded ?? headers.host ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * Creates the function that rewrites the URL of a request for the router: requests to a hostname that may belong to a site go
 * to the pages of sites. The service's own hostname, IP addresses, and names of fewer than three labels stay with the service.
 */
export const hostRouter =
  (urls: () => Urls, isBehindProxy: boolean) =>
  (request: IncomingMessage): string => {
    const { url = '/', method, headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return url;
    const host = hostOf(request, isBehindProxy);
    const { hostname, sitesDomain } = urls().hosting;
    if (host === hostname) return url;
    const isOfSites = sitesDomain !== undefined && host.endsWith(`.${sitesDomain}`);
    if (isOfSites) return HOSTED_PATH + url;
    const isForProgram = SERVICE_PATHS.test(url) && !headers.accept?.includes('text/html');
    return !isForProgram && CustomHostnameName.safeParse(host).success ? HOSTED_PATH + url : url;
  };
