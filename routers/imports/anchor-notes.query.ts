import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readAnchorFacts } from '../content/link-index.operation.ts';
import {
  type AnchorFacts,
  type AnchorIndex,
  anchorFactsOf,
  findMissingAnchors,
  linesOfAnchors,
  titleAnchors,
} from '../engine/import/anchors.ts';
import type { ImportedDocument } from '../engine/import/mutations.ts';
import type { ImportPlan } from '../engine/import/plan.ts';
import { type ImportNote, quote } from '../engine/import/report.ts';
import { getDocuments } from '../engine/store/documents.ts';
import { getTexts } from '../engine/store/texts.ts';
import { localEngine } from '../engine/tasks/engine.ts';

/** The facts of a document that was parsed in this import, and the lines of the links to anchors in its file. */
export interface ParsedAnchors extends AnchorFacts {
  lines: ReadonlyMap<string, number>;
}

interface ImportedAnchors {
  /** By the id of their page or reusable content. */
  documents: ReadonlyMap<string, ImportedDocument>;
  /** Those of documents that were parsed in this import; those of others are read from the index of links. */
  anchors: ReadonlyMap<string, ParsedAnchors>;
}

/** Number of documents read at once. */
const BATCH = 50;

/** The facts of documents that are stored, from the documents themselves. */
async function* readCurrentFacts(
  db: Db,
  hashes: readonly string[],
): AsyncGenerator<[hash: string, facts: AnchorFacts]> {
  for (let start = 0; start < hashes.length; start += BATCH) {
    const found = await getDocuments(objectReader(db), hashes.slice(start, start + BATCH));
    for (const [hash, document] of found) yield [hash, anchorFactsOf(document)];
  }
}

/** A note for each link to an anchor that its page does not have. */
export async function readAnchorNotes(
  db: Db,
  { pages, reusableContents }: Pick<ImportPlan, 'pages' | 'reusableContents'>,
  { documents, anchors }: ImportedAnchors,
): Promise<ImportNote[]> {
  const reused = [...documents].flatMap(([id, { document }]) => (anchors.has(id) ? [] : document));
  const stored = await readAnchorFacts(db, localEngine, reused);
  const factsOf = (bodies: readonly { id: string }[]): AnchorIndex['pages'] =>
    new Map(
      bodies.flatMap(({ id }) => {
        const facts = anchors.get(id) ?? stored.get(documents.get(id)?.document ?? '');
        return facts ? [[id, facts]] : [];
      }),
    );
  const planned = new Map(pages.map((page) => [page.id, page]));
  const titles = new Map<string, ReadonlySet<string>>();
  const anchorsOfTitle = (id: string): ReadonlySet<string> => {
    const page = planned.get(id);
    const known = titles.get(id) ?? (page ? titleAnchors(page) : new Set<string>());
    titles.set(id, known);
    return known;
  };
  const find = () =>
    findMissingAnchors({
      pages: factsOf(pages),
      reusableContents: factsOf(reusableContents),
      anchorsOfTitle,
    });
  // An earlier version, which knew fewer anchors, may have written the index.
  const suspects = [...new Set(find().map(({ page }) => page))];
  const doubtful = suspects.length > 0 ? [...suspects, ...reusableContents.map(({ id }) => id)] : [];
  const hashes = doubtful.flatMap((id) => (anchors.has(id) ? [] : (documents.get(id)?.document ?? [])));
  for await (const [hash, facts] of readCurrentFacts(db, [...new Set(hashes)])) stored.set(hash, facts);
  const missing = find();
  const found = Map.groupBy(missing, ({ from }) => from);
  const texts = await getTexts(
    objectReader(db),
    [...found.keys()].flatMap((id) => (anchors.has(id) ? [] : (documents.get(id)?.text ?? []))),
  );
  const paths = new Map(
    [...pages, ...reusableContents].map(({ id, git, title }) => [id, git?.path ?? title]),
  );
  return [...found].flatMap(([from, links]) => {
    const text = texts.get(documents.get(from)?.text ?? '')?.text ?? '';
    const lines =
      anchors.get(from)?.lines ?? linesOfAnchors(text, new Set(links.map(({ anchor }) => anchor)));
    return links.map(({ page, anchor }): ImportNote => {
      const line = lines.get(anchor);
      const message =
        page === from
          ? `The page has no anchor ${quote(anchor)}, so the link to it leads nowhere.`
          : `The page ${quote(paths.get(page) ?? '')} has no anchor ${quote(anchor)}, so the link to it leads to the beginning of the page.`;
      return { file: paths.get(from) ?? '', ...(line !== undefined && { line }), severity: 'info', message };
    });
  });
}
