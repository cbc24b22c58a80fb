/** Where to go after signing in by default: the user's own page. */
export const HOME = '/auth/account';

/** The longest address to return to; the service has no longer ones. */
const MAX_LENGTH = 2000;

/** An absolute path, without what browsers drop, or take for the start of a host. */
const OWN_PATH = /^\/(?![/\\])[^\\\p{Cc}\s]*$/u;

/**
 * Validates the address to go to after signing in, which comes from a request: a path of this service, with query and
 * fragment. Anything else, such as a URL of another host, becomes {@link HOME}.
 */
export function safeReturnTo(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_LENGTH || !OWN_PATH.test(given)) return HOME;
  const url = URL.parse(given, 'http://own.invalid');
  // Dot segments are resolved by now: "/.//host" has become the path "//host".
  if (url?.origin !== 'http://own.invalid' || url.pathname.startsWith('//')) return HOME;
  return `${url.pathname}${url.search}${url.hash}`;
}
