import { expect, test } from 'vitest';
import { textsIn } from '../../routers/engine/pdf/languages/index.ts';
import { no } from '../../routers/engine/pdf/languages/no.ts';
import { pickLanguage } from '../../routers/engine/pick-language.ts';

const TABLE = { en: 'English', no: 'norsk', 'pt-br': 'português', zh: '中文' };

test.each([
  ['a language', ['no'], 'no'],
  ['a tag with a region', ['en-GB'], 'en'],
  ['a tag in other case', ['PT-BR'], 'pt-br'],
  ['a language of which there is one region', ['pt-PT'], 'pt-br'],
  ['a written form of Norwegian', ['nb-NO'], 'no'],
  ['the first one that is known', ['xx', 'zh-Hant', 'en'], 'zh'],
  ['no known one', ['xx', ''], undefined],
  ['a name that every object has', ['constructor'], undefined],
])('the texts for %s', (_, tags, code) => {
  expect(pickLanguage(TABLE, tags)?.code).toBe(code);
});

test('PDFs in a written form of Norwegian have Norwegian texts', () => expect(textsIn('nn')).toBe(no));
