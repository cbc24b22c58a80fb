import { describe, test } from 'vitest';
import { createGlossary, protectTerms } from '../../routers/engine/translation/glossary.ts';
import { finish } from '../helpers/finish.ts';
import { expectLinear } from '../helpers/growth.ts';

/** Terms and a text in which each place is the beginning of as many terms, or of as much of one, as possible. */
describe('time is linear if a text and a glossary grow together', () => {
  const range = <T>(size: number, make: (index: number) => T) =>
    Array.from({ length: size }, (_, index) => make(index));
  test.for<[string, (size: number) => { sources: string[]; text: string }]>([
    [
      'terms with the same first word',
      (size) => ({ sources: range(size / 4, (index) => `a ${index}`), text: 'a b '.repeat(size / 4) }),
    ],
    [
      'terms with the same beginning',
      (size) => ({
        sources: range(size / 256, (index) => `${'a '.repeat(120)}${index}`),
        text: 'a '.repeat(size / 2),
      }),
    ],
    [
      'terms with the same end',
      (size) => ({
        sources: range(size / 256, (index) => `${index}${' a'.repeat(120)}`),
        text: 'a '.repeat(size / 2),
      }),
    ],
    [
      'terms that contain each other',
      (size) => ({
        sources: range(Math.sqrt(size), (index) => `a${' a'.repeat(index)}`),
        text: 'a '.repeat(size / 2),
      }),
    ],
    [
      'a term that is as long as the text',
      (size) => ({ sources: [`${'a '.repeat(size / 4)}b`], text: 'a '.repeat(size / 4) }),
    ],
  ])('%s', ([name, make]) => {
    const run = ({ sources, text }: { sources: string[]; text: string }) =>
      finish(protectTerms(text, finish(createGlossary(sources.map((source) => ({ source, target: 'c' }))))));
    expectLinear(name, make, run, { from: 4096, milliseconds: 4 });
  });
});
