import { readFile } from 'node:fs/promises';
import { readPageHead } from '../../routers/engine/import/page-head.ts';
import { decodeText } from '../../routers/engine/import/text.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { roundTrip } from '../engine/markdown/round-trip.ts';

interface Count {
  blocks: number;
  identical: number;
}

/** Parses and serializes the Markdown in folders, and reports which blocks changed, and why. */
export async function reportRoundTrip(folders: string[]): Promise<void> {
  const types = new Map<string, Count>();
  const reasons = new Map<string, { blocks: number; types: Set<string>; example: string }>();
  const pages: Record<string, { pages: number; identical: number; '%': string }> = {};
  for (const folder of folders) {
    const source = await openFolder(folder);
    const count: Count = { blocks: 0, identical: 0 };
    for await (const { path } of source.list()) {
      const decoded = path.endsWith('.md') ? decodeText(await readFile(`${folder}/${path}`)) : undefined;
      if (!decoded) continue;
      const { bodyStart } = readPageHead(decoded.text);
      const blocks = roundTrip(decoded.text.slice(bodyStart));
      tally(
        count,
        blocks.every(({ reason }) => reason === undefined),
      );
      const bodyLine = decoded.text.slice(0, bodyStart).split('\n').length - 1;
      for (const { type, reason, line = 1 } of blocks) {
        const ofType = types.get(type) ?? { blocks: 0, identical: 0 };
        tally(ofType, reason === undefined);
        types.set(type, ofType);
        if (reason === undefined) continue;
        const known = reasons.get(reason) ?? {
          blocks: 0,
          types: new Set<string>(),
          example: `${folder.split('/').at(-1)}/${path}:${bodyLine + line}`,
        };
        known.blocks++;
        known.types.add(type);
        reasons.set(reason, known);
      }
    }
    pages[folder.split('/').at(-1) as string] = {
      pages: count.blocks,
      identical: count.identical,
      '%': percent(count),
    };
  }
  console.log('pages');
  console.table(pages);
  console.log('blocks by type ("markdown" is kept verbatim because it is not recognized)');
  const byCount = [...types].sort(([, a], [, b]) => b.blocks - a.blocks);
  const all: Count = { blocks: 0, identical: 0 };
  for (const [, { blocks, identical }] of byCount) {
    all.blocks += blocks;
    all.identical += identical;
  }
  console.table(
    Object.fromEntries(
      [...byCount, ['all', all] as const].map(([type, count]) => [type, { ...count, '%': percent(count) }]),
    ),
  );
  console.log('why blocks changed');
  console.table(
    Object.fromEntries(
      [...reasons]
        .sort(([, a], [, b]) => b.blocks - a.blocks)
        .map(([reason, { blocks, types: of, example }]) => [
          reason,
          { blocks, types: [...of].join(' '), example },
        ]),
    ),
  );
}

function tally(count: Count, isIdentical: boolean): void {
  count.blocks++;
  if (isIdentical) count.identical++;
}

const percent = ({ blocks, identical }: Count): string =>
  ((identical / Math.max(1, blocks)) * 100).toFixed(2);
