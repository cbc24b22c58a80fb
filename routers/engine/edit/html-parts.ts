/** Raw HTML that is published as blocks, and which blocks of a document that a client sent are these blocks. */

import type { Block } from '../document/document.ts';
import { normalizeDocument } from '../markdown/keys.ts';
import { stringIn } from '../markdown/nodes.ts';
import { legacyApiTag } from '../markdown/published/legacy-api.ts';
import { htmlPartsIn } from '../markdown/published/published-raw.ts';
import type { PlacedBlock } from '../markdown/published/raw-html.ts';
import { fingerprintBlocks } from '../markdown/source/fingerprint.ts';
import { withoutWrappers } from '../markdown/source/html-tokens.ts';

export type Publish = <Value>(value: Value) => Value;

/** A stored block of raw HTML that is published as other blocks. */
export interface HtmlSource {
  raw: Block;
  html: string;
  /** Whether readers see the source itself, as code. */
  isCode: boolean;
  /** In the order of the source. */
  parts: HtmlPart[];
}

/** A block that raw HTML is published as, and where in the HTML it is written. */
export interface HtmlPart extends PlacedBlock {
  source: HtmlSource;
  index: number;
  fingerprint: string;
}

/** A raw block with its parts; undefined for other blocks, for one that is published as it is, and for tags, which have a partner. */
export function htmlSourceOf(raw: Block, publish: Publish): HtmlSource | undefined {
  if (raw.type !== 'markdown' || legacyApiTag(stringIn(raw.data, 'markdown') ?? '')) return undefined;
  const { blocks, fingerprints } = publishedBlocks([raw], publish);
  if (blocks.some(({ type }) => type === 'markdown')) return undefined;
  const html = stringIn(raw.data, 'markdown') ?? '';
  const placed = htmlPartsIn(raw);
  const isCode = !placed && blocks.length === 1 && blocks[0]?.type === 'code';
  const whole = isCode ? { start: 0, end: html.length } : withoutWrappers(html);
  // Rarely, a block is published as several, whose places are not known.
  const placeOf = (index: number) =>
    placed?.length === blocks.length
      ? (placed[index] ?? whole)
      : { start: index === 0 ? whole.start : whole.end, end: whole.end };
  const source: HtmlSource = { raw, html, isCode, parts: [] };
  source.parts = blocks.map((block, index) => {
    const { start, end } = placeOf(index);
    return { source, index, block, fingerprint: fingerprints[index] as string, start, end };
  });
  return source;
}

/** Blocks as they are published, and their fingerprints. */
export function publishedBlocks(
  nodes: readonly Block[],
  publish: Publish,
): { blocks: Block[]; fingerprints: string[] } {
  const published = [publish<readonly Block[]>(nodes)].flat();
  const { nodes: blocks } = normalizeDocument({
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: published,
  });
  const fingerprints = fingerprintBlocks(blocks);
  return { blocks, fingerprints: blocks.map((block) => fingerprints.get(block) as string) };
}
