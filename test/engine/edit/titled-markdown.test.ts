import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitTitle, withTitle } from '../../../routers/engine/edit/titled-markdown.ts';
import { singleLine } from '../../../routers/engine/import/text.ts';

describe('the title of a page', () => {
  test('the title of a page is the first heading of its Markdown, with the same line endings', () => {
    expect(withTitle('A title', 'Text\n')).toBe('# A title\n\nText\n');
    expect(withTitle('A title', 'One\r\n\r\nTwo\r\n')).toBe('# A title\r\n\r\nOne\r\n\r\nTwo\r\n');
    expect(withTitle('A title', '')).toBe('# A title\n');
  });

  test('the title of a page is removed from sent Markdown again, whatever the title', () => {
    const titles = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc
        .array(
          fc.constantFrom(
            '*',
            '_',
            '#',
            ' ',
            'a',
            '<b>',
            '&amp;',
            '[',
            ']',
            '\\',
            '{#x}',
            '`',
            '$',
            ':',
            '!',
          ),
          {
            maxLength: 8,
          },
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(titles, fc.constantFrom('', 'Text\n', '# More\n', 'One\r\nTwo\r\n'), (title, body) => {
        fc.pre(singleLine(title) !== '');
        const sent = splitTitle(withTitle(title, body), { title: undefined, current: title });
        expect(sent).toEqual({ title: undefined, body });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a heading at the start of the Markdown in an edit', () => {
  test.for([
    ['# New\n\nText\n', {}, { title: 'New', body: 'Text\n' }],
    ['# New\n\nText\n', { current: 'Old' }, { title: 'New', body: 'Text\n' }],
    ['# Old\n\nText\n', { current: 'Old' }, { title: undefined, body: 'Text\n' }],
    ['# Same\n\nText\n', { title: 'Same', current: 'Old' }, { title: 'Same', body: 'Text\n' }],
    ['# Other\n\nText\n', { title: 'Same', current: 'Other' }, { title: 'Same', body: '# Other\n\nText\n' }],
    ['\n\n# A *new* one #\nText\n', {}, { title: 'A new one', body: 'Text\n' }],
    ['Set\n===\n\nText\n', {}, { title: 'Set', body: 'Text\n' }],
    ['# New\r\n\r\nText\r\n', {}, { title: 'New', body: 'Text\r\n' }],
    ['## Section\n', {}, { title: undefined, body: '## Section\n' }],
    ['#\n\nText\n', {}, { title: undefined, body: '#\n\nText\n' }],
    ['# Only', {}, { title: 'Only', body: '' }],
    ['Text\n\n# Later\n', {}, { title: undefined, body: 'Text\n\n# Later\n' }],
  ] as const)('%j with the title %j', ([markdown, titles, expected]) => {
    expect(splitTitle(markdown, { title: undefined, ...titles })).toEqual(expected);
  });
});
