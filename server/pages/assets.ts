import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long browsers cache assets, in seconds: each version has its own address. */
const AGE = 365 * 86_400;

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

interface Asset {
  name: string;
  type: string;
  plain: Buffer;
  /** Filled when a browser first requests an encoding. */
  compressed: Map<Encoding, Promise<Buffer>>;
}

const COMPRESS = { br: promisify(brotliCompress), gzip: promisify(gzip) };
type Encoding = keyof typeof COMPRESS;

/** The parts of the style sheet, in order. */
const STYLE_PARTS = [
  'base',
  'preview',
  'header',
  'frame',
  'text',
  'hints',
  'figures',
  'links',
  'code',
  'tables',
  'blocks',
  'text-colors',
  'api',
  'page-footer',
  'search',
  'narrow',
  'print',
  'forced-colors',
];

const textOf = (file: string): string => readFileSync(new URL(`assets/${file}`, import.meta.url), 'utf8');

function asset(baseName: string, extension: keyof typeof TYPES, text: string): Asset {
  const plain = Buffer.from(text);
  return {
    name: `${baseName}-${hash('sha256', plain).slice(0, 12)}.${extension}`,
    type: TYPES[extension],
    plain,
    compressed: new Map(),
  };
}

const STYLES = asset('reader', 'css', STYLE_PARTS.map((part) => textOf(`styles/${part}.css`)).join('\n'));
const SCRIPTS = ['reader', 'search'].map((name) => asset(name, 'js', textOf(`${name}.js`)));
const PARAMETERS = asset('parameters', 'js', textOf('parameters.js'));
const TRY = asset('try', 'js', textOf('try.js').replace('./parameters.js', `./${PARAMETERS.name}`));
const ASSETS = new Map([STYLES, ...SCRIPTS, PARAMETERS, TRY].map((one) => [one.name, one]));

export const STYLES_NAME = STYLES.name;
/** Only on pages with forms that send API requests. */
export const TRY_NAME: string = TRY.name;
export const SCRIPT_NAMES: readonly string[] = SCRIPTS.map(({ name }) => name);

/** The compressed bytes of an asset, cached; a failure is not cached. */
function compressedTo(encoding: Encoding, { plain, compressed }: Asset): Promise<Buffer> {
  const known = compressed.get(encoding);
  if (known) return known;
  const result = COMPRESS[encoding](plain);
  compressed.set(encoding, result);
  result.catch(() => compressed.delete(encoding));
  return result;
}

/** Sends a style sheet or a script; false if none has the name. */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<boolean> {
  const found = ASSETS.get(name);
  if (!found) return false;
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  reply.headers({
    'content-type': found.type,
    'cache-control': `public, max-age=${AGE}, immutable`,
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
  reply.send(encoding ? await compressedTo(encoding, found) : found.plain);
  return true;
}
