import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';

/** Pixels at most across: 250 for an inch of the page. */
const MAX_SIZE = 1600;

/** Pixels from which on a picture is written as photographs are, on the white of the page: losslessly it would be too large. */
const MANY_PIXELS = 500_000;

/** Pixels of a picture that is read at all. */
const MAX_PIXELS = 100_000_000;

/** Bytes of a picture that is read at all. */
const MAX_BYTES = 30_000_000;

/** Seconds that one picture may take. */
const MAX_TIME = 15;

/** Pixels across of a drawing that is drawn here. */
const DRAWN_SIZE = 1400;

/** Bytes up to which a picture of this size is taken as it is. */
const LARGE = 400_000;

/** Drawings that are kept as such: small, with nothing in them that grows when it is drawn, or leads elsewhere. */
const MAX_DRAWING = 500_000;
const GROWING =
  /<!ENTITY|<!DOCTYPE|<(?:use|pattern|filter|foreignObject|image|script|symbol|switch|marker|mask)\b|url\s{0,9}\(["']?(?:[a-z]+:|\/)/i;

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
  const options = { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' } as const;
  const found = await sharp(bytes, options).metadata();
  const { format, width = 0, height = 0, hasAlpha } = found;
  if (width === 0 || height === 0) return { problem: 'is empty' };
  if (format === 'svg') return drawing(path, bytes, { width, height });
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

/** A drawing is kept as such unless it is not simple: then it is drawn here, where that can only take a while. */
async function drawing(
  path: string,
  bytes: Buffer,
  size: { width: number; height: number },
): Promise<ReadPicture> {
  if (bytes.length <= MAX_DRAWING && !GROWING.test(bytes.toString('utf8'))) return write(path, 'svg', bytes);
  const density = Math.max(1, Math.min(300, (72 * DRAWN_SIZE) / Math.max(size.width, size.height)));
  const png = await sharp(bytes, { density, limitInputPixels: MAX_PIXELS })
    .timeout({ seconds: MAX_TIME })
    // Shown as large as the drawing says that it is.
    .withMetadata({ density })
    .png({ compressionLevel: 4 })
    .toBuffer();
  return write(path, 'png', png);
}

async function write(path: string, type: string, bytes: Buffer): Promise<ReadPicture> {
  const file = `${path}.${type}`;
  await writeFile(file, bytes);
  return { file };
}
