import { isUtf8 } from 'node:buffer';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { PictureProblem } from '../../routers/engine/pdf/languages/texts.ts';

/** Maximum width and height in pixels: 250 per inch on the page. */
const MAX_SIZE = 1600;

/** Above this number of pixels, a picture becomes a JPEG on white: losslessly, it would be too large. */
const MANY_PIXELS = 500_000;

/** Maximum number of pixels in a picture. */
const MAX_PIXELS = 100_000_000;

/** Maximum size of a picture, in bytes. */
const MAX_BYTES = 30_000_000;

/** Seconds that one picture may take, and rasterizing one SVG. */
const MAX_TIME = 15;
export const MAX_SVG_TIME = 6;

/** Width or height of a rasterized SVG in pixels, whichever is larger. */
const RASTERIZED_SIZE = 1400;

/** Up to this size in bytes, a picture may be used unchanged. */
const MAX_UNCHANGED_BYTES = 400_000;

/**
 * SVGs up to this size, in characters, stay SVGs if nothing in them can blow up when rendered, or refers to other files. The
 * names of elements may have a prefix, whatever it is.
 */
const MAX_SVG = 500_000;
const UNSAFE_SVG =
  /<!ENTITY|<!DOCTYPE|<(?:[^\s<>/:]*:)?(?:use|pattern|filter|foreignObject|image|script|symbol|switch|marker|mask)\b|url\s{0,9}\(["']?(?:[a-z]+:|\/)/i;

/** Up to this length, in characters, an SVG with text stays an SVG: laying out a long line of text takes minutes. */
const MAX_TEXT_SVG = 50_000;
const SVG_TEXT = /<(?:[^\s<>/:]*:)?text\b/i;

/** The root element of an SVG begins within this number of bytes. */
const SVG_PROLOG_BYTES = 4096;

// No cache: the memory of this process is for the book.
sharp.cache(false);
sharp.concurrency(1);

export type ConvertedPicture = { file: string } | { problem: PictureProblem };

/**
 * Converts a picture to one that the typesetter accepts, in a file beside it.
 * @param path of the picture, as it was uploaded
 * @returns the path of the result, or what is wrong
 */
export async function convertPicture(path: string): Promise<ConvertedPicture> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return { problem: 'tooLarge' };
    return await convert(path, bytes);
  } catch {
    // Uploaded files can be broken in any way: a note on the page takes their place.
    return { problem: 'unreadable' };
  }
}

async function convert(path: string, bytes: Buffer): Promise<ConvertedPicture> {
  if (/<(?:svg|!DOCTYPE svg)\b/i.test(bytes.toString('latin1', 0, SVG_PROLOG_BYTES)))
    return convertSvg(path, bytes);
  const options = { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' } as const;
  const metadata = await sharp(bytes, options).metadata();
  const { format, width = 0, height = 0, hasAlpha } = metadata;
  if (width === 0 || height === 0) return { problem: 'empty' };
  if (format === 'svg') return convertSvg(path, bytes);
  const isUsable =
    (format === 'png' || format === 'jpeg') &&
    Math.max(width, height) <= MAX_SIZE &&
    bytes.length <= MAX_UNCHANGED_BYTES &&
    metadata.space !== 'cmyk' &&
    (metadata.orientation ?? 1) === 1;
  if (isUsable) {
    // Decoded once as a check, since a broken picture would fail the whole document.
    await sharp(bytes, options).timeout({ seconds: MAX_TIME }).raw().toBuffer();
    return write(path, format === 'png' ? 'png' : 'jpg', bytes);
  }
  const picture = sharp(bytes, options)
    .rotate()
    .timeout({ seconds: MAX_TIME })
    .resize({ width: MAX_SIZE, height: MAX_SIZE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
  const isPhotograph = format === 'jpeg' || width * height > MANY_PIXELS;
  if (!isPhotograph || (hasAlpha && width * height <= MANY_PIXELS))
    return write(path, 'png', await picture.png({ compressionLevel: 4 }).toBuffer());
  const opaque = picture.flatten({ background: '#ffffff' });
  const jpeg = await opaque.jpeg({ quality: 86, chromaSubsampling: '4:4:4' }).toBuffer();
  return write(path, 'jpg', jpeg);
}

/** A simple SVG stays one. Others are rasterized, in a process with a time limit. */
async function convertSvg(path: string, bytes: Buffer): Promise<ConvertedPicture> {
  const text = bytes.toString('utf8');
  const isSimple =
    text.length <= MAX_SVG &&
    // In another encoding, such as UTF-16, nothing unsafe would be found, and the typesetter cannot read it.
    // guard: svg-encoding
    isUtf8(bytes) &&
    !text.includes('\0') &&
    // guard: svg-unsafe
    !UNSAFE_SVG.test(text) &&
    (text.length <= MAX_TEXT_SVG || !SVG_TEXT.test(text));
  if (isSimple) {
    // A check, since a broken SVG would fail the whole document.
    await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
    return write(path, 'svg', bytes);
  }
  await run(process.execPath, [RASTERIZER, path], { env: {} });
  return { file: `${path}.png` };
}

const run = promisify(execFile);
const RASTERIZER = fileURLToPath(new URL('./svg-rasterizer-main.ts', import.meta.url));

/** Rasterizes an SVG to a PNG beside it. This can only be limited in time and memory from outside the process. */
export async function rasterizeSvg(path: string): Promise<void> {
  const bytes = await readFile(path);
  const { width = 0, height = 0 } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
  const density = Math.max(1, Math.min(300, (72 * RASTERIZED_SIZE) / Math.max(width, height)));
  const png = await sharp(bytes, { density, limitInputPixels: MAX_PIXELS })
    // So that it is shown in the size that the SVG declares.
    .withMetadata({ density })
    .png({ compressionLevel: 4 })
    .toBuffer();
  await write(path, 'png', png);
}

async function write(path: string, type: string, bytes: Buffer): Promise<ConvertedPicture> {
  const file = `${path}.${type}`;
  await writeFile(file, bytes);
  return { file };
}
