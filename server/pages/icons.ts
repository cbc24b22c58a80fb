import { createRequire } from 'node:module';
import { codeOf } from '../../routers/base/error-code.ts';
import { Html, html } from '../http/html.ts';

const require = createRequire(import.meta.url);

/** Maximum number of cached icons; there are about 2,500. */
const MAX_CACHED = 3000;

/** Maximum length of an icon name. */
const MAX_NAME = 50;

const cache = new Map<string, Html | undefined>();

interface Definition {
  definition: {
    icon: [width: number, height: number, aliases: unknown, unicode: unknown, path: string | string[]];
  };
}

/** An icon by its Font Awesome name, such as `rocket`; undefined for an unknown name. */
export function icon(name: string): Html | undefined {
  if (name.length > MAX_NAME || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return undefined;
  if (cache.has(name)) return cache.get(name);
  const found = read('free-solid-svg-icons', name) ?? read('free-brands-svg-icons', name);
  if (cache.size < MAX_CACHED) cache.set(name, found);
  return found;
}

function read(collection: string, name: string): Html | undefined {
  const file = `fa${name.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase())}`;
  let found: Definition;
  try {
    found = require(`@fortawesome/${collection}/${file}`);
  } catch (error) {
    const code = codeOf(error);
    // The package has no such file, or does not export it.
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    throw error;
  }
  const [width, height, , , path] = found.definition.icon;
  return html`<svg class="icon" viewBox="0 0 ${width} ${height}" aria-hidden="true">${[path].flat().map((d) => html`<path d="${d}"/>`)}</svg>`;
}

/** Icons of the interface: strokes of one width on a 24 × 24 grid. */
const STROKES = {
  search: '<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  more: '<path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="3"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4"/>',
  moon: '<path d="M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z"/>',
  next: '<path d="m9 6 6 6-6 6"/>',
  previous: '<path d="m15 6-6 6 6 6"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15V6a2 2 0 0 1 2-2h9"/>',
  file: '<path d="M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5"/>',
  out: '<path d="M8 16 17 7M9 7h8v8"/>',
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 8h.01"/>',
  warning: '<path d="M12 4 2.8 20h18.4zM12 10v4M12 17h.01"/>',
  danger: '<path d="M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3zM12 8v5M12 16h.01"/>',
  success: '<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.7 2.7L16 9.5"/>',
  hash: '<path d="M5 9h14M5 15h14M10 4 8 20M16 4l-2 16"/>',
} as const;

/** An icon of the interface. */
export const uiIcon = (name: keyof typeof STROKES): Html => UI[name];

const UI = Object.fromEntries(
  Object.entries(STROKES).map(([name, lines]) => [
    name,
    new Html(`<svg class="ui" viewBox="0 0 24 24" aria-hidden="true">${lines}</svg>`),
  ]),
) as Record<keyof typeof STROKES, Html>;
