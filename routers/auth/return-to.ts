/** Where to go after signing in when nothing else was asked for: the user's own page. */
export const HOME = '/auth/account';

/** Longest address to return to; a longer one is not an address of this service. */
const MAX_LENGTH = 2000;

/** A path from the root, without what browsers drop or read as the start of a host. */
const OWN_PATH = /^\/(?![/\\])[^\\\p{Cc}\s]*$/u;

/**
 * An address of this service to go to after signing in, from whatever a request names: a path of its own, with query and
 * fragment. Anything else, such as an address of another host, is {@link HOME}.
 */
export function safeReturnTo(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_LENGTH || !OWN_PATH.test(given)) return HOME;
  const url = URL.parse(given, 'http://own.invalid');
  // Dots are resolved by now: "/.//host" has become the path "//host".
  if (url?.origin !== 'http://own.invalid' || url.pathname.startsWith('//')) return HOME;
  return `${url.pathname}${url.search}${url.hash}`;
}
