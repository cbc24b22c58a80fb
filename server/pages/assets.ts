import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long browsers keep them, in seconds: another version has another address. */
const AGE = 365 * 86_400;

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

interface Asset {
  name: string;
  type: string;
  plain: Buffer;
  br: Buffer;
  gzip: Buffer;
}

function read(file: string): Asset {
  const plain = readFileSync(new URL(`assets/${file}`, import.meta.url));
  const [stem = '', extension = ''] = file.split('.');
  return {
    name: `${stem}-${hash('sha256', plain).slice(0, 12)}.${extension}`,
    type: TYPES[extension as keyof typeof TYPES],
    plain,
    br: brotliCompressSync(plain),
    gzip: gzipSync(plain),
  };
}

const STYLES = read('reader.css');
const SCRIPT = read('reader.js');
const ASSETS = new Map([STYLES, SCRIPT].map((asset) => [asset.name, asset]));

export const STYLES_NAME = STYLES.name;
export const SCRIPT_NAME = SCRIPT.name;

/** Changes with the code that draws pages, as far as it is seen in assets. */
export const ASSETS_TAG = `${STYLES.name} ${SCRIPT.name}`;

/** Sends a style sheet or a script; false if there is none of that name. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, name: string): boolean {
  const asset = ASSETS.get(name);
  if (!asset) return false;
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  reply.headers({
    'content-type': asset.type,
    'cache-control': `public, max-age=${AGE}, immutable`,
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
  reply.send(asset[encoding ?? 'plain']);
  return true;
}
