import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { type IndexedText, parseIndexedText } from '../engine/search/inverted.ts';
import { statement } from '../sql/statement.ts';
import { DoorkeeperCache, stringBytes } from './doorkeeper-cache.ts';
import type { AdditionalDocuments } from './vocabulary.ts';

/** How many characters of texts are parsed between two pauses. */
const STRIDE = 500_000;

/** Texts that were read repeatedly. They never change: a number is never assigned to another document. */
const cache = new DoorkeeperCache<IndexedText>({
  maxSize: 16 * 1024 * 1024,
  sizeOf: ({ head, sections }) =>
    [head, ...sections].reduce(
      (sum, { title, text }) => sum + stringBytes(title) + stringBytes(text) + 150,
      200,
    ),
  maxKeys: 10_000,
});

const readRows = statement((db, organization: string, numbers: string[]) =>
  db
    .selectFrom('search_document')
    .select(['number', 'text'])
    .where('organization_id', '=', organization)
    .where('number', '=', sql<number>`any(${numbers}::int[])`),
);

/** Reads the texts of documents, by their numbers. Those that no longer exist are left out. */
export async function readTexts(
  db: Db,
  organization: string,
  numbers: readonly number[],
  additional: AdditionalDocuments,
): Promise<Map<number, IndexedText>> {
  const texts = new Map<number, IndexedText>();
  const missing: string[] = [];
  for (const number of new Set(numbers)) {
    const known = additional.textOf(number) ?? cache.get(`${organization} ${number}`);
    if (known) texts.set(number, known);
    else missing.push(`${number}`);
  }
  if (missing.length === 0) return texts;
  let parsed = 0;
  for (const { number, text: json } of await readRows(db, organization, missing)) {
    const text = parseIndexedText(json);
    texts.set(number, text);
    cache.offer(`${organization} ${number}`, () => text);
    parsed += json.length;
    if (parsed < STRIDE) continue;
    await setImmediate();
    parsed = 0;
  }
  return texts;
}
