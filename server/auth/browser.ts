import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Browser, BrowserToken } from '../../routers/base/principal.ts';
import { clientAddressOf } from '../http/client-address.ts';

/** Maximum length of the stored user agent, in characters. */
const MAX_USER_AGENT = 300;

/** Maximum length of a secret; longer values are ignored. */
const MAX_SECRET = 100;

/** The value of a cookie in a `Cookie` header; the first if there are several. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** With TLS, the prefix prevents other hosts of the domain, and other ports, from setting the cookie. */
const cookieName = (name: BrowserToken, isSecure: boolean) => `${isSecure ? '__Host-' : ''}colophon_${name}`;

/**
 * Whether a request comes from a page of this service, according to the headers that browsers set: pages of other origins must
 * not act for a signed-in user. Safe methods are also allowed from the address bar.
 */
export function isOwnRequest(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  ownOrigin: string,
): boolean {
  const isSafe = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || (isSafe && site === 'none');
  const { origin } = headers;
  return origin === undefined ? isSafe : origin === ownOrigin;
}

/** The browser that sent a request, as procedures and pages see it. */
export function browserOf(request: FastifyRequest, reply: FastifyReply, publicUrl: () => string): Browser {
  const { headers } = request;
  const isSecure = publicUrl().startsWith('https:');
  let kept: Partial<Record<BrowserToken, string | undefined>> | undefined;
  return {
    get userAgent() {
      // Headers cannot contain control characters, so no check is needed.
      return headers['user-agent']?.slice(0, MAX_USER_AGENT) || null;
    },
    get address() {
      return clientAddressOf(request);
    },
    get isSameOrigin() {
      return isOwnRequest(request, new URL(publicUrl()).origin);
    },
    token(name) {
      if (kept && name in kept) return kept[name];
      const value = cookieOf(headers.cookie, cookieName(name, isSecure));
      return value && value.length <= MAX_SECRET ? value : undefined;
    },
    setToken(name, token) {
      kept = { ...kept, [name]: token?.secret };
      const value = token?.secret ?? '';
      const expires = (token?.expiresAt ?? new Date(0)).toUTCString();
      const cookie = `${cookieName(name, isSecure)}=${value}; Path=/; Expires=${expires}; HttpOnly; SameSite=Lax`;
      setCookie(reply, cookieName(name, isSecure), isSecure ? `${cookie}; Secure` : cookie);
    },
  };
}

/** Sets a cookie, replacing one of the same name in the same response. */
function setCookie(reply: FastifyReply, name: string, cookie: string): void {
  const others = [reply.getHeader('set-cookie') ?? []].flat().map(String);
  reply.removeHeader('set-cookie');
  reply.header('set-cookie', [...others.filter((other) => !other.startsWith(`${name}=`)), cookie]);
}

/**
 * The same for the requests of pages. Pages may be opened by links from elsewhere, since no other origin can read them; their
 * forms must still come from this service.
 */
export function pageBrowserOf(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: () => string,
): Browser {
  const browser = browserOf(request, reply, publicUrl);
  if (request.method !== 'GET' && request.method !== 'HEAD') return browser;
  return Object.defineProperty(browser, 'isSameOrigin', { value: true });
}
