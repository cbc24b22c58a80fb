import { type ImportPlan, planImport } from '../../../routers/engine/import/plan.ts';
import { type Scan, scanSource } from '../../../routers/engine/import/scan.ts';
import { IMPORT_LIMITS } from '../../../routers/engine/import/source.ts';
import { memorySource } from './memory-source.ts';

export type Files = Record<string, string | Uint8Array>;
export const scan = (files: Files, limits = IMPORT_LIMITS): Promise<Scan> =>
  scanSource(memorySource(files), limits);

/** Ids that are readable in assertions. */
const ids = {
  pageIdOf: (key: string) => `page ${key}`,
  fileIdOf: (path: string) => `file ${path}`,
  reusableIdOf: (path: string) => `reusable ${path}`,
};

export const plan = async (files: Files, limits = IMPORT_LIMITS) =>
  planImport(await scan(files, limits), ids);

/** The page tree as indented lines. */
export function tree({ pages }: ImportPlan): string[] {
  const depths = new Map<string | null, number>([[null, 0]]);
  return pages.map(({ id, parent, type, title, slug, git }) => {
    const depth = depths.get(parent);
    if (depth === undefined) throw new Error(`${title} comes before its parent`);
    depths.set(id, depth + 1);
    return `${'  '.repeat(depth)}${type} ${title} (${slug})${git ? ` ${git.path}` : ''}`;
  });
}

export const messagesOf = ({ report }: ImportPlan) =>
  report.map(({ file, line, message }) => `${file}:${line ?? ''} ${message}`);
