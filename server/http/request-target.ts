import type { IncomingMessage } from 'node:http';

/** An absolute URL as the target of a request, as clients send it to a proxy, and some of them to any server. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)\/?/i;

/** Reads the target of a request as if its host were in the header, which it overrides (RFC 9112, 3.2.2). */
export function readRequestTarget(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  const [origin = '', host] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined) return;
  request.url = `/${url.slice(origin.length)}`;
  request.headers.host = host;
}

/** The number of `Host` headers: Node uses the first of them, and a proxy might use another. */
export function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') count++;
  }
  return count;
}
