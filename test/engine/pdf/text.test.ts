import { describe, expect, test } from 'vitest';
import { breakable, cleanText, printedHref } from '../../../routers/engine/pdf/text.ts';

describe('text for print', () => {
  test('text for print is well-formed and has no control characters', () => {
    expect(cleanText('a\ud800b\u0000\u001bc\r\nd\uffff\ufeff')).toBe('abc\nd');
  });

  test('text for print gets break opportunities in long words only', () => {
    const visible = (text: string) => text.replaceAll('\u200b', '');
    for (const text of [
      'x'.repeat(500),
      `https://example.com/${'a/'.repeat(100)}`,
      'ก'.repeat(100),
      '日本'.repeat(50),
    ])
      expect(visible(breakable(text, 20))).toBe(text);
    expect(
      Math.max(
        ...breakable('x'.repeat(500), 20)
          .split('\u200b')
          .map(({ length }) => length),
      ),
    ).toBe(20);
    expect(breakable('short words stay as they are, however many there are of them')).not.toContain('\u200b');
  });

  test.for([
    'javascript:alert(1)',
    'JAVA\nSCRIPT:x',
    'file:///etc/passwd',
    'data:text/html,x',
    '//x',
    '',
    'https://',
    `https://x/${'a'.repeat(3000)}`,
  ])('text for print has no link to %j', (href) => {
    expect(printedHref(href)).toBeUndefined();
  });
});
