import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createExcerpter, type Excerpt } from '../../../routers/engine/search/excerpts.ts';
import { loadAnalyzer } from '../../../routers/engine/search/languages.ts';

/** The excerpts of a page with one section, for the terms of a query. */
async function excerptsOf(text: string, query: string, language: string | null = 'en'): Promise<Excerpt[]> {
  const analyzer = await loadAnalyzer(language);
  const weights = new Map(analyzer.tokens(query).map(({ term }) => [term, 1]));
  return createExcerpter(analyzer, weights)([{ anchor: 'a', title: 'Title', text }]);
}

const markedIn = ([excerpt]: Excerpt[]): string[] =>
  (excerpt as Excerpt).marks.map(({ start, end }) => (excerpt as Excerpt).body.slice(start, end));

describe('an excerpt marks', () => {
  test.each([
    ['key', 'A key, two keys and Keyed values, monkeys excluded.', ['key', 'keys', 'Keyed']],
    ['email', 'Send an e-mail or an Email.', ['e-mail', 'Email']],
    ['v2.10', 'Since v2.10, not v1.1.', ['v2.10']],
    ['limit', 'Set Mem_Buf_Limit or memLimit, unlimited otherwise.', ['Limit', 'Limit']],
    ['Mem_Buf_Limit', 'Set Mem_Buf_Limit.', ['Mem_Buf_Limit']],
    ['été', 'Les étés passés.', ['étés']],
    ['ays', 'Ays and AYS.', ['Ays', 'AYS']],
    ['切片', '对切片追加', ['切片']],
    ['*', 'Nothing but *.', []],
  ])('%j in %j', async (query, text, marked) => {
    expect(markedIn(await excerptsOf(text, query))).toEqual(marked);
  });

  test('each word that has a term of the query, in any text', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        'key',
        'keys',
        'Day',
        'try',
        'e-mail',
        'fooBar',
        'HTTPServer',
        'x_y.z',
        "it's",
        'v2.10',
        '09.7',
      ),
      fc.constantFrom('naïve', 'Straße', '切片', 'ключ', '__init__', 'k8s', '1.5', 'co-op', 'ＡＢ', '😀'),
      fc.constantFrom('étéÉtés', 'nai\u0308ve', 'œuvre', 'ﬁle', 'm²', 'Ⅳ', '½', '𝐤𝐞𝐲', '𠀀𠀁𠀂', 'İstanbul'),
      fc.constantFrom('ΟΔΟΣ', 'ος', 'ΚлючКлючей', 'ключи́', 'йод', 'საქართველო', 'ኢትዮጵያ', 'Հայերեն', 'हिन्दी'),
      fc.constantFrom(
        'ｶﾀｶﾅ',
        'か\u3099き',
        '한국어',
        '\u1112\u1161\u11ab',
        'ภาษาไทย',
        '豈更車',
        'שָׁלוֹם',
        'مَرْحَبًا',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
      fc.stringMatching(/^[a-zA-Z0-9]{1,5}([._'-][a-zA-Z0-9]{1,5}){0,2}$/),
    );
    const analyzers = await Promise.all(
      ['en', 'fr', 'de', 'ru', 'ja', 'ar', 'el', 'tr', 'hi'].map(loadAnalyzer),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...analyzers),
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
        (analyzer, words, chosen) => {
          // An excerpt begins with the section if there is a word of the query this close to its beginning.
          const text = words.join(' ').slice(0, 60);
          const tokens = analyzer.tokens(text);
          if (tokens.length === 0) return;
          const weights = new Map(chosen.map((at) => [tokens[at % tokens.length]?.term as string, 1]));
          const [excerpt] = createExcerpter(analyzer, weights)([{ title: '', text }]);
          const positions = (ranges: readonly { start: number; end: number }[]) => [
            ...new Set(
              ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
            ),
          ];
          expect(positions(excerpt?.marks ?? []).sort((a, b) => a - b)).toEqual(
            positions(tokens.filter(({ term }) => weights.has(term))).sort((a, b) => a - b),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });
});
