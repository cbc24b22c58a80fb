import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';

/** Pixels at most across: 300 for an inch of the page. */
const MAX_SIZE = 2000;

/** Pixels of a picture that is read at all. */
const MAX_PIXELS = 100_000_000;

/** Bytes of a picture that is read at all. */
const MAX_BYTES = 30_000_000;

/** Seconds that one picture may take. */
const MAX_TIME = 10;

/** Bytes beyond which a picture without transparency is written as a photograph. */
const LARGE = 700_000;

/** Drawings that are kept as such: small, with nothing in them that grows when it is drawn, or leads elsewhere. */
const MAX_DRAWING = 500_000;
const GROWING =
  /<!ENTITY|<!DOCTYPE|<(?:use|pattern|filter|foreignObject|image|style|script|symbol|switch|marker|text|mask)\b|url\s*\(\s*["']?\s*(?:[a-z]+:|\/)/i;

// One picture at a time, and none kept: the memory of this process is for the book.
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
  const options = { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' } as const;
  const {
    format,
    width = 0,
    height = 0,
    space,
    orientation,
    hasAlpha,
  } = await sharp(bytes, options).metadata();
  if (width === 0 || height === 0) return { problem: 'is empty' };
  const isLarge = Math.max(width, height) > MAX_SIZE;
  if (format === 'svg') return drawing(path, bytes, { width, height });
  if (
    !isLarge &&
    (format === 'png' || format === 'jpeg') &&
    space !== 'cmyk' &&
    (orientation ?? 1) === 1 &&
    bytes.length < 2 * LARGE
  ) {
    // Decoded once, to be sure: a broken picture fails the whole document.
    await sharp(bytes, options).timeout({ seconds: MAX_TIME }).stats();
    const file = `${path}.${format === 'png' ? 'png' : 'jpg'}`;
    await writeFile(file, bytes);
    return { file };
  }
  const picture = sharp(bytes, options).rotate().timeout({ seconds: MAX_TIME }).toColourspace('srgb');
  if (isLarge) picture.resize({ width: MAX_SIZE, height: MAX_SIZE, fit: 'inside' });
  if (format === 'jpeg') return write(path, 'jpg', await picture.jpeg({ quality: 85 }).toBuffer());
  const png = await picture.clone().png({ compressionLevel: 7 }).toBuffer();
  if (png.length <= LARGE || hasAlpha) return write(path, 'png', png);
  return write(path, 'jpg', await picture.jpeg({ quality: 85 }).toBuffer());
}

/** Drawings are drawn here unless they are simple, since some would take all memory. */
async function drawing(
  path: string,
  bytes: Buffer,
  size: { width: number; height: number },
): Promise<ReadPicture> {
  const scale = Math.min(4, Math.max(0.01, MAX_SIZE / Math.max(size.width, size.height)));
  const density = Math.max(1, Math.min(2000, 72 * scale));
  const png = await sharp(bytes, { density, limitInputPixels: MAX_PIXELS })
    .resize({ width: MAX_SIZE, height: MAX_SIZE, fit: 'inside', withoutEnlargement: true })
    .timeout({ seconds: MAX_TIME })
    .png()
    .toBuffer();
  const text = bytes.length <= MAX_DRAWING ? bytes.toString('utf8') : undefined;
  if (text !== undefined && !GROWING.test(text)) return write(path, 'svg', bytes);
  // Shown as large as the drawing says that it is.
  return write(
    path,
    'png',
    await sharp(png)
      .withMetadata({ density: 72 * scale })
      .png()
      .toBuffer(),
  );
}

async function write(path: string, type: string, bytes: Buffer): Promise<ReadPicture> {
  const file = `${path}.${type}`;
  await writeFile(file, bytes);
  return { file };
}
