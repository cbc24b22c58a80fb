import { describe, expect, test } from 'vitest';
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

describe('paths are allocated once', () => {
  test('imported paths that differ only in case are kept', () => {
    const paths = createPathAllocator();
    expect(['a.png', 'A.png', 'b/c.md', 'B/c.md'].map(paths.claimImported)).toEqual([
      'a.png',
      'A.png',
      'b/c.md',
      'B/c.md',
    ]);
    expect(['a.png', 'b', 'b/c.md/d'].map(paths.claimImported)).toEqual([undefined, undefined, undefined]);
  });

  test('new paths differ from all others in more than case', () => {
    const paths = createPathAllocator();
    paths.claimImported('Guide.md');
    expect(paths.claim('guide.md')).toBeUndefined();
    expect(paths.claimUnique('guide.md')).toBe('guide-2.md');
    expect(paths.claimUnique('GUIDE/a.md')).toBe('GUIDE/a.md');
    expect(paths.claimImported('guide-2.MD')).toBeUndefined();
    expect(paths.claimImported('guide/A.md')).toBeUndefined();
  });
});
