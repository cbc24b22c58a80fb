import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGlossary, findTerms, protectTerms } from '../../../routers/engine/translation/glossary.ts';
import { escapeText } from '../../../routers/engine/translation/tagged-text.ts';
import { finish } from '../../helpers/finish.ts';

const glossaryOf = (terms: readonly { source: string; target: string }[]) => finish(createGlossary(terms));
const found = (text: string, sources: readonly string[]) =>
  finish(findTerms(text, glossaryOf(sources.map((source) => ({ source, target: '' }))))).map(
    ({ source }) => source,
  );

describe('glossary terms', () => {
  const glossary = glossaryOf([
    { source: 'space', target: 'Bereich' },
    { source: 'change request', target: 'Änderungsantrag' },
    { source: 'R&D', target: 'F&E' },
    { source: 'Change', target: 'Wandel' },
    { source: '空間', target: 'Raum' },
  ]);

  test('terms are matched as whole words, regardless of case, the longest first', () => {
    const text = 'A Change Request in a <g1>space</g1>, spaces, R&amp;D &amp;, change.';
    expect(finish(findTerms(text, glossary)).map(({ target }) => target)).toEqual([
      'Änderungsantrag',
      'Bereich',
      'F&E',
      'Wandel',
    ]);
    expect(finish(findTerms('この空間は', glossary))).toHaveLength(1);
  });

  test('translated terms replace their tags', () => {
    const { text, restore } = finish(protectTerms('My space &amp; R&amp;D', glossary));
    expect(text).not.toMatch(/space|R&/);
    expect(restore(text.replace('My', 'Mein'))).toBe('Mein Bereich &amp; F&amp;E');
    expect(restore('Mein Bereich')).toBeUndefined();
  });

  test.for<[text: string, sources: string[], terms: string[]]>([
    ['ΟΔΟΣ και οδος', ['οδός', 'οδος'], ['οδος']],
    ['-x and @user or &lt;b', ['-X', '@USER', '<b'], ['-X', '@USER', '<b']],
    ['C++ and C', ['C++', 'C'], ['C++', 'C']],
    ['<x1/> x1', ['x1'], ['x1']],
    ['<x1/> &amp; lt', ['x1', 'amp', '&', ' '], []],
    ['a a b', ['a a a', 'a b'], ['a b']],
  ])('in "%s"', ([text, sources, terms]) => {
    expect(found(text, sources)).toEqual(terms);
  });

  test('of equal terms, the later one is used', () => {
    const equal = ['A b', 'a B', 'a b'].map((source) => ({ source, target: source }));
    expect(finish(findTerms('a b', glossaryOf(equal)))).toEqual([equal[2]]);
  });
});

test('at each place, the longest term is found that begins and ends between tokens', () => {
  const token = /<[^>]*>|&\w+;|[漢字]|[a-zé漢字]+|./giu;
  /** Tries each term at each place. */
  function search(text: string, sources: readonly string[]): string[] {
    const boundaries = new Set([...text.matchAll(token)].map(({ index }) => index).concat(text.length));
    const terms: string[] = [];
    for (let start = 0; start < text.length; ) {
      const matching = sources.filter((source) => {
        const escaped = escapeText(source);
        const end = start + escaped.length;
        const isWhole = boundaries.has(start) && boundaries.has(end);
        return isWhole && text.slice(start, end).toLowerCase() === escaped.toLowerCase();
      });
      const longest = matching.toSorted((a, b) => a.length - b.length).at(-1);
      if (longest !== undefined) terms.push(longest);
      start += longest === undefined ? 1 : escapeText(longest).length;
    }
    return [...new Set(terms)];
  }
  const words = fc.constantFrom('a', 'b', 'AB', 'é', 'É', '漢', '字', 'amp');
  const between = fc.constantFrom(' ', ' ', '-', '&', '<', '. ', '');
  const term = fc
    .array(fc.tuple(between, words), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.flat().join(''));
  const part = fc.oneof(term.map(escapeText), fc.constantFrom('<g1>', '</g1>', '<x2/>', '&amp;', ' '));
  fc.assert(
    fc.property(
      fc.uniqueArray(term, { selector: (source) => source.toLowerCase(), maxLength: 8 }),
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      (sources, text) => {
        expect(found(text, sources)).toEqual(search(text, sources));
      },
    ),
    { numRuns: 500 },
  );
});
