import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Browser, BrowserToken } from '../../routers/base/principal.ts';

/** How much is kept of what a browser says it is. */
const MAX_USER_AGENT = 300;

/** Secrets are shorter; anything longer is none. */
const MAX_SECRET = 100;

/** The value of a cookie in the header of a request, the first if there are several. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** Behind TLS, the prefix keeps other hosts of the domain, and other ports, from setting the cookie. */
const cookieName = (name: BrowserToken, isSecure: boolean) => `${isSecure ? '__Host-' : ''}colophon_${name}`;

/**
 * Whether a page of this service sends a request, by what browsers say of it: pages of others must not act for whoever is
 * signed in. What cannot change anything may also be opened from the address bar.
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

/** The browser behind a request, as far as procedures and pages deal with it. */
export function browserOf(request: FastifyRequest, reply: FastifyReply, publicUrl: () => string): Browser {
  const { headers } = request;
  const isSecure = publicUrl().startsWith('https:');
  let kept: Partial<Record<BrowserToken, string | undefined>> | undefined;
  return {
    get userAgent() {
      // Control characters cannot stand in a header.
      return headers['user-agent']?.slice(0, MAX_USER_AGENT) || null;
    },
    get address() {
      return request.ip;
    },
    get isOwn() {
      return isOwnRequest(request, new URL(publicUrl()).origin);
    },
    token(name) {
      if (kept && name in kept) return kept[name];
      const value = cookieOf(headers.cookie, cookieName(name, isSecure));
      return value && value.length <= MAX_SECRET ? value : undefined;
    },
    keep(name, token) {
      kept = { ...kept, [name]: token?.secret };
      const value = token?.secret ?? '';
      const expires = (token?.expiresAt ?? new Date(0)).toUTCString();
      const cookie = `${cookieName(name, isSecure)}=${value}; Path=/; Expires=${expires}; HttpOnly; SameSite=Lax`;
      setCookie(reply, cookieName(name, isSecure), isSecure ? `${cookie}; Secure` : cookie);
    },
  };
}

/** A later cookie of a name replaces an earlier one of the same response. */
function setCookie(reply: FastifyReply, name: string, cookie: string): void {
  const others = [reply.getHeader('set-cookie') ?? []].flat().map(String);
  reply.removeHeader('set-cookie');
  reply.header('set-cookie', [...others.filter((other) => !other.startsWith(`${name}=`)), cookie]);
}

/**
 * The same for a page that a browser shows as a whole: a link from elsewhere leads there, and nobody else can read it, but
 * what it sends must come from itself.
 */
export function pageBrowserOf(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: () => string,
): Browser {
  const browser = browserOf(request, reply, publicUrl);
  if (request.method !== 'GET' && request.method !== 'HEAD') return browser;
  return Object.defineProperty(browser, 'isOwn', { value: true });
}
