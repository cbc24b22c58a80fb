import type { IncomingMessage } from 'node:http';
import { CustomHostnameName } from '../../routers/addresses/hostnames.ts';
import type { Urls } from '../../routers/base/ports.ts';

/** The path to which requests for the hostnames of sites are sent within the service. */
export const HOSTED = '/~hosted';

/** What programs may ask the service for by another name than its own; whoever reads is shown the site. */
const SERVICE = /^\/(?:v1|trpc|files|healthz|readyz|metrics)(?:[/?]|$)/;

/** The host of a request, without its port. */
function hostOf({ headers }: IncomingMessage, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? headers['x-forwarded-host'] : undefined;
  const given =
    String(forwarded ?? headers.host ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  return given.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * Makes the function that tells where a request goes within the service: for a hostname that may be that of a site, to the
 * pages. Its own hostname, addresses without a name, and names of less than three parts are the service's.
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
    if (isOfSites) return HOSTED + url;
    const isForProgram = SERVICE.test(url) && !headers.accept?.includes('text/html');
    return !isForProgram && CustomHostnameName.safeParse(host).success ? HOSTED + url : url;
  };
