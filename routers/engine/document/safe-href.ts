/** Which URLs content may lead to, for all that accept and show links. */

/** The schemes that links on pages and in PDFs may have. */
const LINK_SCHEMES = new Set([
  'http:',
  'https:',
  'mailto:',
  'tel:',
  'ftp:',
  'sms:',
  'vscode:',
  'irc:',
  'matrix:',
]);

/** Returns an address if it is safe in a link; undefined if it could run scripts. */
export function safeHref(address: string): string | undefined {
  const url = URL.parse(address, 'https://site.invalid/');
  // guard: pdf-link-schemes, page-link-schemes
  return url && LINK_SCHEMES.has(url.protocol) ? address : undefined;
}

/** The schemes of URLs that are a script or a page by themselves. */
const SCRIPT_SCHEMES = new Set(['javascript', 'vbscript', 'data']);
/** The scheme of a URL as browsers read it, which ignore blanks before it, and line breaks and tabs anywhere. */
const SCHEME = /^[\0- ]*([a-z][a-z0-9+.\t\n\r-]*):/i;

/**
 * Whether a URL is a script, or a page that its author can make up. Content is not accepted with such URLs, since it is also shown
 * by clients that may not check them. All other schemes are accepted, such as those of apps. So are images in URLs, which
 * run no scripts where they are shown.
 */
export function runsScript(address: string): boolean {
  const [found = '', scheme = ''] = SCHEME.exec(address) ?? [];
  if (!SCRIPT_SCHEMES.has(scheme.replace(/[\t\n\r]/g, '').toLowerCase())) return false;
  return !/^data:image\//i.test(address.slice(found.length - scheme.length - 1).trimStart());
}
