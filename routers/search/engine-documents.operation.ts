import type { Context } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import type { SearchEngine, TermDocument } from '../base/search-ports.ts';
import { eachPosting } from '../engine/search/postings.ts';
import { eachTerm, type Segment } from '../engine/search/segment.ts';
import { hasAnyDocument, insertDocuments, lockIndex } from './documents.operation.ts';
import { insertSegment } from './segments.operation.ts';

/**
 * Adds pages to an index whose postings an external search engine stores. First their numbers are allocated, then their terms
 * are sent to the engine, then the rest is written to the database. So each document in the database can be found, and the
 * engine is never asked for one that did not get there.
 * @returns false, having added nothing, if one of them has been added in the meantime, or something has been removed
 */
export async function addToEngine(
  { transaction }: Pick<Context, 'transaction'>,
  engine: SearchEngine,
  organization: string,
  segment: Segment,
): Promise<boolean> {
  const { documents, blocks } = segment;
  const { length } = documents;
  if (length === 0) return true;
  const allocated = await transaction(async (em) => {
    const db = kyselyOf(em);
    const { lastDocument, generation } = await lockIndex(db, organization);
    await db
      .updateTable('search_index')
      .set({ last_document: lastDocument + length })
      .where('organization_id', '=', organization)
      .execute();
    return { first: lastDocument + 1, generation };
  });
  const { first } = allocated;
  await engine.upsert(organization, termDocuments(segment, first));
  const isAdded = await transaction(async (em) => {
    const db = kyselyOf(em);
    const { generation } = await lockIndex(db, organization);
    // If the index was removed meanwhile, what the engine had received until then is gone.
    // guard: search-engine-generation
    if (generation !== allocated.generation) return false;
    if (await hasAnyDocument(db, organization, documents)) return false;
    await insertDocuments(db, organization, documents, first);
    const words = blocks.filter(({ kind }) => kind !== 'term');
    await insertSegment(db, organization, { first, documents: length, blocks: words });
    return true;
  });
  if (!isAdded)
    await engine.remove(
      organization,
      Array.from({ length }, (_, index) => first + index),
    );
  return isAdded;
}

function termDocuments({ documents, blocks }: Segment, first: number): TermDocument[] {
  const terms: [term: string, impact: number][][] = documents.map(() => []);
  eachTerm(blocks, (term, postings) =>
    eachPosting(postings, (document, impact) => terms[document - 1]?.push([term, impact])),
  );
  return terms.map((ofDocument, index) => ({ number: first + index, terms: ofDocument }));
}
