import type { Document } from '../document/document.ts';
import { addLinkLabels } from '../edit/link-labels.ts';
import { withTitle } from '../edit/titled-markdown.ts';
import { serializeMarkdown } from '../markdown/markdown.ts';
import { published } from '../markdown/published/published.ts';
import { getDocuments } from '../store/documents.ts';
import type { ObjectReader } from '../store/objects.ts';
import { type BlockChange, changedBlocks } from './changed-blocks.ts';
import { unifiedDiff } from './unified-diff.ts';

/** A version of a page or reusable content. */
export interface Version {
  title: string;
  /** Hash of its document, if it has one. */
  document?: string | undefined;
}

/** The versions to compare; without `before` it was created, without `after` deleted. */
export interface VersionPair {
  before?: Version | undefined;
  after?: Version | undefined;
}

export interface ComparisonInput {
  pairs: readonly VersionPair[];
  /** Hashes of the roots before and after, from which the titles of link targets are read. */
  roots: { before: string | undefined; after: string };
  format: 'markdown' | 'document';
}

/** A unified diff of the Markdown with its title, or the changes of blocks, depending on the format. */
export interface Comparison {
  markdown?: string;
  blocks?: BlockChange[];
}

/** Compares the versions of each pair. */
export async function compareDocuments(
  reader: ObjectReader,
  { pairs, roots, format }: ComparisonInput,
): Promise<Comparison[]> {
  const hashes = pairs.flatMap(({ before, after }) => [before?.document ?? [], after?.document ?? []].flat());
  const documents = await getDocuments(reader, [...new Set(hashes)]);
  const documentOf = (version: Version | undefined) =>
    version?.document === undefined ? undefined : documents.get(version.document);
  if (format === 'document') {
    const nodesOf = (document: Document | undefined) => (document ? published(document).nodes : []);
    return pairs.map(({ before, after }) => ({
      blocks: changedBlocks(nodesOf(documentOf(before)), nodesOf(documentOf(after))),
    }));
  }
  const write = async (version: Version | undefined, root: string | undefined): Promise<string> => {
    if (!version || root === undefined) return '';
    const document = documentOf(version);
    const labelled = document && ((await addLinkLabels(reader, { root }, document)) ?? document);
    return withTitle(version.title, labelled ? serializeMarkdown(labelled) : '');
  };
  const comparisons: Comparison[] = [];
  for (const { before, after } of pairs) {
    const [old, current] = await Promise.all([write(before, roots.before), write(after, roots.after)]);
    comparisons.push({ markdown: unifiedDiff(old, current) });
  }
  return comparisons;
}
