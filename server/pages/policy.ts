import { hash } from 'node:crypto';
import { FRAME_HOSTS } from '../../routers/embeds/providers.ts';
import { Html } from '../http/html.ts';

/** The text of a style or script element, which must not contain anything that ends the element. */
export function rawHtml(text: string): Html {
  if (/<\/|<!--/.test(text)) throw new Error('This text would end its element.');
  return new Html(text);
}

/**
 * Runs before the first paint, so that a dark page does not flash light. Reading the storage throws where the browser
 * forbids it: the page then keeps the theme of the site.
 */
export const THEME_SCRIPT = `{
const root=document.documentElement;
let theme;
try{theme=localStorage.getItem('colophon-theme')}catch{theme=root.dataset.theme}
if(theme==='light'||theme==='dark')root.dataset.theme=theme;
root.classList.add('js');
}`;

/** Origins that are safe in a policy: others could be parsed as something else there. */
const ORIGIN = /^https?:\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** The origin of an address for a policy; undefined if the address is relative, or its origin is not safe in a policy. */
export function cspOrigin(address: string): string | undefined {
  const origin = URL.parse(address)?.origin;
  // guard: page-form-servers
  return origin !== undefined && ORIGIN.test(origin) ? origin : undefined;
}

export const scriptHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const FRAMES = FRAME_HOSTS.map((host) => `https://${host}`).join(' ');

/**
 * The Content-Security-Policy of a page. Only the service's own scripts and styles run, whatever the content is: inline ones
 * are allowed by hash. Images and videos may come from anywhere, as authors link to them; frames, from known providers.
 */
export const contentPolicy = ({
  styles,
  scripts,
  origins = new Set(),
  fonts = new Set(),
}: {
  styles: readonly string[];
  scripts: readonly string[];
  /** Origins to which forms send API requests. */
  origins?: ReadonlySet<string>;
  /** Origins of the site's fonts. */
  fonts?: ReadonlySet<string>;
}): string =>
  [
    "default-src 'none'",
    `script-src 'self'${scripts.map((source) => ` ${source}`).join('')}`,
    `style-src 'self'${styles.map((source) => ` ${scriptHash(source)}`).join('')}`,
    "img-src 'self' https: http: data:",
    "media-src 'self' https: http:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    ...(fonts.size > 0 ? [`font-src ${[...fonts].join(' ')}`] : []),
    `frame-src ${FRAMES}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
