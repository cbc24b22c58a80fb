import type { Translation } from '../../schema/entities/translation.ts';
import type { Row } from '../../schema/rows.ts';
import { forEachConcurrently } from '../base/concurrency.ts';
import type { Db } from '../base/db.ts';
import type { TranslationEngine } from '../base/language-ports.ts';
import type { SourceText } from '../engine/translation/documents.ts';
import { findTerms } from '../engine/translation/glossary.ts';
import { countWords, parseTranslation } from '../engine/translation/tagged-text.ts';
import { memoryKey, recall, remember } from './memory.operation.ts';
import type { RunContext } from './run-context.query.ts';

/** What a run translates with. */
export interface Translating {
  db: Db;
  engine: TranslationEngine;
  translation: Row<Translation>;
  context: RunContext;
  /** Throws if the run is over, which ends it before the next request. */
  requireCurrent(): Promise<void>;
  /** Counts what was translated, and what could not be. */
  tally: { words: number; untranslated: number; translated: number };
}

/**
 * Translates texts: those that the organization has not translated before, each once. What an engine answers has to keep the
 * parts of a text; where it does not, twice, the runs of words in it are translated one by one.
 * @returns the translations by text; texts that could not be translated are missing
 * @throws EngineFailure
 */
export async function translateTexts(
  run: Translating,
  sources: readonly SourceText[],
): Promise<Map<string, string>> {
  const runsOf = new Map(sources.map(({ text, runs }) => [text, runs]));
  const translations = await translateAll(run, [...runsOf.keys()]);
  const broken = [...runsOf].filter(([text]) => !translations.has(text));
  if (broken.length === 0) return translations;
  // A text that is one run of words has been tried already.
  const pieces = new Set(broken.flatMap(([text, runs]) => runs.filter((piece) => piece !== text)));
  for (const [piece, translation] of await translateAll(run, [...pieces]))
    translations.set(piece, translation);
  for (const [, runs] of broken) if (runs.some((piece) => !translations.has(piece))) run.tally.untranslated++;
  return translations;
}

async function translateAll(run: Translating, texts: readonly string[]): Promise<Map<string, string>> {
  const { db, engine, translation, context } = run;
  const { organization, sourceLanguage, language } = translation;
  const instructions = engine.acceptsInstructions ? context.instructions : '';
  const terms = new Map(texts.map((text) => [text, findTerms(text, context.glossary)]));
  const keys = new Map(
    texts.map((text) => {
      const obeyed = (terms.get(text) ?? []).map(({ source, target }) => `${source}\n${target}`).sort();
      return [text, memoryKey([engine.id, sourceLanguage, language, instructions, text, ...obeyed])];
    }),
  );
  const known = await recall(db, organization, [...keys.values()]);
  const translations = new Map<string, string>();
  const missing: string[] = [];
  for (const [text, key] of keys) {
    const translated = known.get(key);
    if (translated === undefined) missing.push(text);
    else translations.set(text, translated);
  }
  const ask = async (batch: readonly string[]) => {
    const obeyed = new Set(batch.flatMap((text) => terms.get(text) ?? []));
    const about = { source: sourceLanguage, target: language, instructions, terms: [...obeyed] };
    await run.requireCurrent();
    const answers = await engine.translate({ texts: batch, ...about });
    const made = new Map<string, string>();
    for (const [index, text] of batch.entries()) {
      const answer = answers[index];
      if (!parseTranslation(text, answer)) continue;
      translations.set(text, answer as string);
      made.set(keys.get(text) as string, answer as string);
      run.tally.words += countWords(text);
      run.tally.translated++;
    }
    await remember(db, organization, made);
  };
  await forEachConcurrently(batchesOf(missing, engine.limits), engine.limits.requests, ask);
  // What was answered with nonsense is asked for once more, by itself.
  const again = missing.filter((text) => !translations.has(text)).map((text) => [text]);
  await forEachConcurrently(again, engine.limits.requests, ask);
  return translations;
}

/** Texts in requests of what an engine takes at once. */
function batchesOf(texts: readonly string[], limits: TranslationEngine['limits']): string[][] {
  const batches: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last && last.length < limits.texts && length + text.length <= limits.characters) last.push(text);
    else {
      batches.push([text]);
      length = 0;
    }
    length += text.length;
  }
  return batches;
}
