/** The schemes that links in content may have. */
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
