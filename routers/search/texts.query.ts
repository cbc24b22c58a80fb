import { setImmediate } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { type IndexedText, parseIndexedText } from '../engine/search/inverted.ts';
import { statement } from '../sql/statement.ts';
import type { AdditionalDocuments } from './vocabulary.ts';

/** How many characters of texts are parsed between two pauses. */
const STRIDE = 500_000;

/** Approximate size of the cache of texts, in bytes. */
const TEXT_BYTES = 16 * 1024 * 1024;

/** The texts that were read most recently. They never change: a number is never assigned to another document. */
const textCache = new LRUCache<string, IndexedText>({ maxSize: TEXT_BYTES });

const readBodies = statement((db, organization: string, numbers: string[]) =>
  db
    .selectFrom('search_document')
    .select(['number', 'body'])
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
    const known = additional.textOf(number) ?? textCache.get(`${organization} ${number}`);
    if (known) texts.set(number, known);
    else missing.push(`${number}`);
  }
  if (missing.length === 0) return texts;
  let parsed = 0;
  for (const { number, body } of await readBodies(db, organization, missing)) {
    const bytes = inflateRawSync(body);
    const json = bytes.toString();
    const text = parseIndexedText(json);
    // A string takes one byte for each character unless some are beyond ASCII.
    const size = json.length * (bytes.length > json.length ? 2 : 1) + (text.sections.length + 1) * 150 + 200;
    textCache.set(`${organization} ${number}`, text, { size });
    texts.set(number, text);
    parsed += json.length;
    if (parsed < STRIDE) continue;
    await setImmediate();
    parsed = 0;
  }
  return texts;
}
