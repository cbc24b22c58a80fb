import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';

/** Pixels at most across: 250 for an inch of the page. */
const MAX_SIZE = 1600;

/** Pixels from which on a picture is written as photographs are, on the white of the page: losslessly it would be too large. */
const MANY_PIXELS = 500_000;

/** Pixels of a picture that is read at all. */
const MAX_PIXELS = 100_000_000;

/** Bytes of a picture that is read at all. */
const MAX_BYTES = 30_000_000;

/** Seconds that one picture may take, and a drawing that is drawn here. */
const MAX_TIME = 15;
export const MAX_DRAWING_TIME = 6;

/** Pixels across of a drawing that is drawn here. */
const DRAWN_SIZE = 1400;

/** Bytes up to which a picture of this size is taken as it is. */
const LARGE = 400_000;

/** Drawings that are kept as such: small, with nothing in them that grows when it is drawn, or leads elsewhere. */
const MAX_DRAWING = 500_000;
const GROWING =
  /<!ENTITY|<!DOCTYPE|<(?:use|pattern|filter|foreignObject|image|script|symbol|switch|marker|mask)\b|url\s{0,9}\(["']?(?:[a-z]+:|\/)/i;

/** Characters up to which a drawing with text is simple: laying out a long line of it takes minutes. */
const LONG_TEXT = 50_000;

/** Characters in which a drawing has begun. */
const BEGINNING = 4096;

// None is kept: the memory of this process is for the book.
sharp.cache(false);
sharp.concurrency(1);

export type ReadPicture = { file: string } | { problem: string };

/**
 * Makes a picture one that the typesetter surely takes, beside it.
 * @param path of its bytes, as they were uploaded
 * @returns the path of the picture, or in a few words why there is none
 */
export async function readPicture(path: string): Promise<ReadPicture> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return { problem: 'is too large' };
    return await convert(path, bytes);
  } catch {
    // Whatever is wrong with a file that somebody uploaded: the page says so in its place.
    return { problem: 'cannot be read' };
  }
}

async function convert(path: string, bytes: Buffer): Promise<ReadPicture> {
  if (/<(?:svg|!DOCTYPE svg)\b/i.test(bytes.toString('latin1', 0, BEGINNING))) return drawing(path, bytes);
  const options = { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' } as const;
  const found = await sharp(bytes, options).metadata();
  const { format, width = 0, height = 0, hasAlpha } = found;
  if (width === 0 || height === 0) return { problem: 'is empty' };
  if (format === 'svg') return drawing(path, bytes);
  const isTaken =
    (format === 'png' || format === 'jpeg') &&
    Math.max(width, height) <= MAX_SIZE &&
    bytes.length <= LARGE &&
    found.space !== 'cmyk' &&
    (found.orientation ?? 1) === 1;
  if (isTaken) {
    // Decoded once, to be sure: a broken picture fails the whole document.
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

/** A drawing is kept as such if it is simple; another is drawn here, in a process that only has so long. */
async function drawing(path: string, bytes: Buffer): Promise<ReadPicture> {
  const text = bytes.toString('utf8');
  const isSimple =
    text.length <= MAX_DRAWING && !GROWING.test(text) && (text.length <= LONG_TEXT || !/<text\b/i.test(text));
  if (isSimple) {
    // A broken one fails the whole document.
    await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
    return write(path, 'svg', bytes);
  }
  await run(process.execPath, [DRAWER, path], { env: {} });
  return { file: `${path}.png` };
}

const run = promisify(execFile);
const DRAWER = fileURLToPath(new URL('./drawer-main.ts', import.meta.url));

/** Draws a drawing, beside it. Neither the time nor the memory that this takes can be limited from within. */
export async function draw(path: string): Promise<void> {
  const bytes = await readFile(path);
  const { width = 0, height = 0 } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
  const density = Math.max(1, Math.min(300, (72 * DRAWN_SIZE) / Math.max(width, height)));
  const png = await sharp(bytes, { density, limitInputPixels: MAX_PIXELS })
    // Shown as large as the drawing says that it is.
    .withMetadata({ density })
    .png({ compressionLevel: 4 })
    .toBuffer();
  await write(path, 'png', png);
}

async function write(path: string, type: string, bytes: Buffer): Promise<ReadPicture> {
  const file = `${path}.${type}`;
  await writeFile(file, bytes);
  return { file };
}
