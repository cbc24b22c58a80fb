import type { Translation } from '../../schema/entities/translation.ts';
import type { Row } from '../../schema/rows.ts';
import { forEachConcurrently } from '../base/concurrency.ts';
import type { Db } from '../base/db.ts';
import type { TranslationEngine } from '../base/language-ports.ts';
import { runInTurns } from '../base/run-in-turns.ts';
import type { Steps } from '../engine/steps.ts';
import type { SourceText } from '../engine/translation/documents.ts';
import { findTerms, type Glossary, type Term } from '../engine/translation/glossary.ts';
import { countWords, parseTranslation } from '../engine/translation/tagged-text.ts';
import { memoryKey, readMemory, saveToMemory } from './memory.operation.ts';
import type { RunContext } from './run-context.query.ts';

/** What translating the texts of a run needs. */
export interface TranslationRun {
  db: Db;
  engine: TranslationEngine;
  translation: Row<Translation>;
  context: RunContext;
  /** Throws if the run is over, so that it sends no more requests. */
  requireCurrent(): Promise<void>;
  /** Counts translated and untranslatable texts. */
  tally: { words: number; untranslated: number; translated: number };
}

/**
 * Translates texts, except those in the translation memory of the organization, each once. The translation must keep the
 * parts of the text; if the engine fails at that twice, the runs of words of the text are translated one by one.
 * @returns the translations by text; texts that could not be translated are missing
 * @throws EngineFailure
 */
export async function translateTexts(
  run: TranslationRun,
  sources: readonly SourceText[],
): Promise<Map<string, string>> {
  const runsOf = new Map(sources.map(({ text, runs }) => [text, runs]));
  const translations = await translateAll(run, [...runsOf.keys()]);
  const broken = [...runsOf].filter(([text]) => !translations.has(text));
  if (broken.length === 0) return translations;
  // A text that is a single run of words has been tried already.
  const pieces = new Set(broken.flatMap(([text, runs]) => runs.filter((piece) => piece !== text)));
  for (const [piece, translation] of await translateAll(run, [...pieces]))
    translations.set(piece, translation);
  for (const [, runs] of broken) if (runs.some((piece) => !translations.has(piece))) run.tally.untranslated++;
  return translations;
}

async function translateAll(run: TranslationRun, texts: readonly string[]): Promise<Map<string, string>> {
  const { db, engine, translation, context } = run;
  const { organization, sourceLanguage, language } = translation;
  const instructions = engine.acceptsInstructions ? context.instructions : '';
  const terms = await runInTurns(termsByText(texts, context.glossary));
  const keys = new Map(
    texts.map((text) => {
      const textTerms = (terms.get(text) ?? []).map(({ source, target }) => `${source}\n${target}`).sort();
      return [text, memoryKey([engine.id, sourceLanguage, language, instructions, text, ...textTerms])];
    }),
  );
  const known = await readMemory(db, organization, [...keys.values()]);
  const translations = new Map<string, string>();
  const missing: string[] = [];
  for (const [text, key] of keys) {
    const translated = known.get(key);
    if (translated === undefined) missing.push(text);
    else translations.set(text, translated);
  }
  const translateBatch = async (batch: readonly string[]) => {
    const batchTerms = new Set(batch.flatMap((text) => terms.get(text) ?? []));
    const parameters = { source: sourceLanguage, target: language, instructions, terms: [...batchTerms] };
    await run.requireCurrent();
    const results = await engine.translate({ texts: batch, ...parameters });
    const newEntries = new Map<string, string>();
    for (const [index, text] of batch.entries()) {
      const result = results[index];
      if (!parseTranslation(text, result)) continue;
      translations.set(text, result as string);
      newEntries.set(keys.get(text) as string, result as string);
      run.tally.words += countWords(text);
      run.tally.translated++;
    }
    await saveToMemory(db, organization, newEntries);
  };
  await forEachConcurrently(batchesOf(missing, engine.limits), engine.limits.requests, translateBatch);
  // Texts with an unusable translation are sent once more, one by one.
  const retries = missing.filter((text) => !translations.has(text)).map((text) => [text]);
  await forEachConcurrently(retries, engine.limits.requests, translateBatch);
  return translations;
}

/** The terms in each of some texts. */
function* termsByText(texts: readonly string[], glossary: Glossary): Steps<Map<string, readonly Term[]>> {
  const terms = new Map<string, readonly Term[]>();
  for (const text of texts) {
    terms.set(text, yield* findTerms(text, glossary));
    yield;
  }
  return terms;
}

/** Splits texts into batches within the limits of an engine. */
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
