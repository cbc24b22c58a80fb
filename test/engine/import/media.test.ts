import { expect, test } from 'vitest';
import { contentTypeOf, describeMedia } from '../../../routers/engine/import/media.ts';

const base64 = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
const text = (content: string) => new TextEncoder().encode(content);

test.each([
  [
    'PNG',
    base64(
      'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
    ),
    3,
    2,
  ],
  ['GIF', base64('R0lGODlhAwACAIAAAP///wAAACwAAAAAAwACAAACAoRfADs='), 3, 2],
  ['WebP', base64('UklGRiIAAABXRUJQVlA4TBUAAAAvAkAAAAcQ/Y/+ByKi/wEA'), 3, 2],
  ['SVG by its size', text('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'), 3, 2],
  ['SVG by its view box', text('<?xml version="1.0"?><svg viewBox="0 0 30 20"></svg>'), 30, 20],
])('the dimensions of a %s are read', (_, bytes, width, height) => {
  expect(describeMedia(bytes).dimensions).toEqual({ width, height });
});

test('the dimensions of a JPEG respect its orientation', () => {
  const sizeOf = (exif: string) =>
    describeMedia(Uint8Array.from(Buffer.from(`ffd8${exif}ffc0000b080002000301011100ffd9`, 'hex')))
      .dimensions;
  expect(sizeOf('ffe000104a46494600010100000100010000')).toEqual({ width: 3, height: 2 });
  const turned =
    'ffe10022457869660000' + '4d4d002a00000008' + '0001' + '011200030000000100060000' + '00000000';
  expect(sizeOf(turned)).toEqual({ width: 2, height: 3 });
});

test('implausible dimensions of an image are ignored', () => {
  const svg = (attributes: string) => describeMedia(text(`<svg xmlns="x" ${attributes}/>`)).dimensions;
  for (const size of ['1e400', '1e300', '99999999999', '0', '1e999px', 'NaN', '-1'])
    for (const attributes of [
      `width="${size}" height="2"`,
      `width="2" height="${size}"`,
      `viewBox="0 0 ${size} 2"`,
      `viewBox="0 0 2 ${size}"`,
    ])
      expect([attributes, svg(attributes)]).toEqual([attributes, undefined]);
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452ffffffffffffffff', 'hex');
  expect(describeMedia(png).dimensions).toBeUndefined();
});

test('broken images and other files have no dimensions', () => {
  for (const bytes of [
    text(''),
    text('hello'),
    base64('iVBORw0KGgo='),
    text('<svg'),
    new Uint8Array([0xff, 0xd8]),
  ])
    expect(describeMedia(bytes).dimensions).toBeUndefined();
});

test('the metadata of a file contains its git blob id and SHA-256', () => {
  expect(describeMedia(text('hello\n'))).toEqual({
    oid: 'ce013625030ba8dba906f756967f9e9ca394464a',
    sha256: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
    size: 6,
    dimensions: undefined,
  });
});

test('the media type is derived from the name of a file', () => {
  expect(contentTypeOf('a/b.PDF')).toBe('application/pdf');
  expect(contentTypeOf('a/b.md')).toBe('text/markdown');
  expect(contentTypeOf('a/unknown.zzz')).toBe('application/octet-stream');
});
