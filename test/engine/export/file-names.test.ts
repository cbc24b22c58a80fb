import { expect, test } from 'vitest';
import { createPathAllocator, safeName } from '../../../routers/engine/export/file-names.ts';

test.each(['\u6587', '\u00e9', 'x', '\u{1F600}'])(
  'a long name is truncated to the 255 bytes that file systems allow: %s',
  (letter) => {
    const book = createPathAllocator();
    for (const extension of ['.md', '.drawing'])
      for (let count = 0; count < 3; count++) {
        const name = book.claimUnique(safeName(`${letter.repeat(300)}${extension}`, 'page'));
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name.isWellFormed() && name.endsWith(extension)).toBe(true);
      }
  },
);
