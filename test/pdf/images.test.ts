import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { convertPicture } from '../../server/pdf/images.ts';
import { makeFolder } from '../helpers/folders.ts';

/** The extension of what a picture is converted to. */
async function converted(bytes: Buffer): Promise<string> {
  const path = join(await makeFolder('pictures'), 'picture');
  await writeFile(path, bytes);
  const result = await convertPicture(path);
  return 'file' in result ? result.file.slice(path.length) : result.problem;
}

const svg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg" xmlns:é-1.x="http://www.w3.org/2000/svg" width="9" height="9">${content}</svg>`;
const PREFIXES = ['', 'svg:', 'é-1.x:'];

test('a simple SVG stays one, whatever the prefix of its elements', async () => {
  for (const prefix of PREFIXES)
    expect(await converted(Buffer.from(svg(`<${prefix}rect width="9" height="9"/>`))), prefix).toBe('.svg');
});

test('an SVG with elements that can blow up is rasterized, whatever their prefix', async () => {
  for (const prefix of PREFIXES) {
    const used = svg(`<g id="a"><rect width="9" height="9"/></g><${prefix}use href="#a"/>`);
    expect(await converted(Buffer.from(used)), prefix).toBe('.png');
  }
});

test('an SVG in another encoding than UTF-8 is not kept', async () => {
  const text = svg('<title>é</title><rect width="9" height="9"/>');
  const latin1 = Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${text}`, 'latin1');
  expect(await converted(latin1)).toBe('.png');
  expect(await converted(Buffer.from(`\ufeff${text}`, 'utf16le'))).not.toBe('.svg');
});
