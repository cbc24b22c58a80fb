/** The schemes that links of content may have. */
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

/** An address as a link has it; undefined for one that could run anything. */
export function safeHref(address: string): string | undefined {
  const url = URL.parse(address, 'https://site.invalid/');
  return url && LINK_SCHEMES.has(url.protocol) ? address : undefined;
}
