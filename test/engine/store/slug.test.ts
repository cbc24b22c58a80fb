import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createUniqueSlugs,
  isSlugOf,
  pathSlug,
  slugify,
  suffixOf,
} from '../../../routers/engine/store/slug.ts';

test('slugs replace "&" by "and", and drop accents', () => {
  const slugs = {
    'Operation & usage': 'operation-and-usage',
    'Q&A': 'q-and-a',
    '🤩 Tips & tricks': 'tips-and-tricks',
    'Ærøskøbing, Łódź und Straße': 'aeroskobing-lodz-und-strasse',
    'Þórður’s Œuvre': 'thordurs-oeuvre',
    '&': 'and',
  };
  for (const [title, slug] of Object.entries(slugs)) {
    expect(slugify(title)).toBe(slug);
    expect(slugify(slug)).toBe(slug);
  }
});

test('slugs have no invisible characters, and no marks without a letter or digit', () => {
  const slugs = {
    '\u2699\ufe0f Settings': 'settings',
    '\u2764\ufe0f': 'page',
    '1\ufe0f\u20e3 First': '1-first',
    '_\u0301a': '_a',
    'a\u3164b': 'ab',
    '\ufb01\u2019\u0345\u0301': 'fi',
    'हिन्दी में': 'हिन्दी-में',
  };
  for (const [title, slug] of Object.entries(slugs)) expect(slugify(title)).toBe(slug);
});

/** Characters that normalization, lower case, or dropping others changes. */
const ADVERSARIAL = [
  ..."aZ1_.~-& '\u2019\uff07\u02bc\ufb01\ufb03\u0130\u0131\u00df\u1e9e\u212a\u212b\u0149\u00a8\u00bd",
  ...'\uff21\uff11\uff0e\u03a3\u0391\u0915\u093f\u094d\uac00\u1100\u1161\u3164\u0301\u0345\u0327\u0308\u20e3\ufe0f\u200d\u200c\u034f\u{e0101}\u2699\u{1f389}',
];

test('a slug is visible, and making it a slug again does not change it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ADVERSARIAL), { maxLength: 120 }), (characters) => {
      const title = characters.join('');
      const slug = slugify(title);
      expect(slug).not.toMatch(/\p{Default_Ignorable_Code_Point}|\p{Me}|(?<![\p{L}\p{M}\p{N}])\p{M}/u);
      expect(slugify(slug)).toBe(slug);
      expect(pathSlug(pathSlug(title))).toBe(pathSlug(title));
    }),
    { numRuns: 1000 },
  );
});

test('the slug of a path is not the name of a file that a site serves', () => {
  const slugs = {
    'robots.txt': 'robots-txt',
    'Sitemap.xml': 'sitemap-xml',
    'CLAUDE.md': 'claude-md',
    'a.b.md': 'a.b-md',
    'Node.js': 'node.js',
  };
  for (const [title, slug] of Object.entries(slugs)) expect(pathSlug(title)).toBe(slug);
  expect(slugify('CLAUDE.md')).toBe('claude.md');
});

describe('a slug with a number', () => {
  test('has at most 100 characters, and is recognized', () => {
    const long = 'z'.repeat(100);
    const unique = createUniqueSlugs();
    expect([long, long, 'z'.repeat(95), long].map(unique)).toEqual([
      long,
      `${'z'.repeat(90)}-1`,
      'z'.repeat(95),
      `${'z'.repeat(90)}-2`,
    ]);
    expect(suffixOf(`${'z'.repeat(90)}-2`, long)).toBe(2);
    expect(suffixOf(`${long}-2`, long)).toBe(2);
  });
});

test('slugs of former versions are recognized as derived from their file', () => {
  expect(isSlugOf('\ufe0f-settings', '\u2699\ufe0f-settings')).toBe(true);
  expect(isSlugOf('claude.md', 'CLAUDE.md')).toBe(true);
  expect(isSlugOf('claude.md-1', 'CLAUDE.md')).toBe(true);
  expect(isSlugOf('settings', 'other')).toBe(false);
});
