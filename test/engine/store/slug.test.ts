import { expect, test } from 'vitest';
import { slugify } from '../../../routers/engine/store/slug.ts';

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
