import type { Context } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import type { SearchEngine, TermDocument } from '../base/search-ports.ts';
import type { Inverted } from '../engine/search/inverted.ts';
import { eachPosting } from '../engine/search/postings.ts';
import { deflated, hasAny, insertDocuments, lockIndex } from './documents.operation.ts';

/**
 * Adds pages to an index whose postings an engine has. Their numbers are taken first, then the engine gets their terms, then
 * the database the rest: a document that is there can be found, and what the engine has of one that never got there is never asked for.
 * @returns false if one of them has been added meanwhile: then nothing is
 */
export async function addToEngine(
  { transaction }: Pick<Context, 'transaction'>,
  engine: SearchEngine,
  organization: string,
  inverted: Inverted,
): Promise<boolean> {
  const { length } = inverted.documents;
  if (length === 0) return true;
  const first = await transaction(async (em) => {
    const db = kyselyOf(em);
    const { lastDocument } = await lockIndex(db, organization);
    await db
      .updateTable('search_index')
      .set({ last_document: lastDocument + length })
      .where('organization_id', '=', organization)
      .execute();
    return lastDocument + 1;
  });
  const bodies = await deflated(inverted);
  await engine.upsert(organization, termDocuments(inverted, first));
  const isAdded = await transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, organization);
    if (await hasAny(db, organization, inverted)) return false;
    await insertDocuments(db, organization, inverted, { first, bodies });
    return true;
  });
  if (!isAdded)
    await engine.remove(
      organization,
      Array.from({ length }, (_, index) => first + index),
    );
  return isAdded;
}

function termDocuments({ documents, postings }: Inverted, first: number): TermDocument[] {
  const terms: [term: string, impact: number][][] = documents.map(() => []);
  for (const { term, block } of postings)
    eachPosting(block, (document, impact) => terms[document - 1]?.push([term, impact]));
  return terms.map((of, index) => ({ number: first + index, terms: of }));
}
