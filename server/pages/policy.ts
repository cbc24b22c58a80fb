import { hash } from 'node:crypto';
import { FRAME_HOSTS } from '../../routers/embeds/providers.ts';
import { Html } from '../http/html.ts';

/** Text of a style or a script element: nothing in it may end the element. */
export function rawHtml(text: string): Html {
  if (/<\/|<!--/.test(text)) throw new Error('This text would end its element.');
  return new Html(text);
}

/**
 * Runs before the page is drawn, so that it is not drawn light first. Reading the storage throws where a reader's browser
 * forbids it: the page then keeps the theme of its site.
 */
export const THEME_SCRIPT = `{
const root=document.documentElement;
let theme;
try{theme=localStorage.getItem('colophon-theme')}catch{theme=root.dataset.theme}
if(theme==='light'||theme==='dark')root.dataset.theme=theme;
root.classList.add('js');
}`;

/** Hosts that can stand in a policy: others could be read there as something else. */
const ORIGIN = /^https?:\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** The origin of an address; undefined for one that is not absolute, or cannot be named in a policy. */
export function namedOrigin(address: string): string | undefined {
  const origin = URL.parse(address)?.origin;
  return origin !== undefined && ORIGIN.test(origin) ? origin : undefined;
}

export const scriptHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const FRAMES = FRAME_HOSTS.map((host) => `https://${host}`).join(' ');

/**
 * Only the service's own scripts and styles count, whatever a page holds: what is in the page itself is named by its hash.
 * Images and films may come from anywhere, as authors link them; frames from known providers.
 */
export const contentPolicy = ({
  styles,
  scripts,
  origins = new Set(),
  fonts = new Set(),
}: {
  styles: readonly string[];
  scripts: readonly string[];
  /** What forms for requests to APIs send to. */
  origins?: ReadonlySet<string>;
  /** Where fonts of the site come from. */
  fonts?: ReadonlySet<string>;
}): string =>
  [
    "default-src 'none'",
    `script-src 'self'${scripts.map((one) => ` ${one}`).join('')}`,
    `style-src 'self'${styles.map((one) => ` ${scriptHash(one)}`).join('')}`,
    "img-src 'self' https: http: data:",
    "media-src 'self' https: http:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    ...(fonts.size > 0 ? [`font-src ${[...fonts].join(' ')}`] : []),
    `frame-src ${FRAMES}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
