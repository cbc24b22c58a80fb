import { z } from 'zod';
import type { FileStorage } from '../base/ports.ts';
import { operatorJobProcedure, router } from '../base/trpc.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readGeneratedPaths } from '../content/generated-pages.query.ts';
import { DomainError } from '../engine/errors.ts';
import { countExportFiles, type ExportedFile, exportFiles, planExport } from '../engine/export/export.ts';
import { pathsOf } from '../engine/import/outline.ts';
import { foldPath } from '../engine/import/paths.ts';
import { scanSource } from '../engine/import/scan.ts';
import { ImportError, isIgnoredName } from '../engine/import/source.ts';
import { toNfc } from '../engine/nfc.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { localEngine } from '../engine/tasks/engine.ts';
import { openFolder } from './folder-source.ts';
import { type FileContent, type FolderTarget, openTarget, requireDistinctPaths } from './folder-target.ts';
import { lookUpExportSource } from './lookup.operation.ts';

/** How many files of an export have been written. */
export interface ExportProgress {
  done: number;
  total: number;
}

export const installationExportsRouter = router({
  /**
   * Writes the content of a space into a folder of this machine as a documentation repository, and reports progress. Files in
   * the folder that are not in the export stay, unless `delete` removes those that an import of the folder would read.
   */
  writeFolder: operatorJobProcedure
    .input(
      z.object({
        space: z.string().min(1).describe('The id or title of the space.'),
        folder: z
          .string()
          .min(1)
          .describe('The path of a folder on this machine; it is created if it does not exist.'),
        organization: z
          .string()
          .optional()
          .describe('The id or title of the organization; optional if there is only one.'),
        revision: z.string().optional().describe('The id of a revision to export instead of the active one.'),
        changeRequest: z.string().optional().describe('The id or number of a change request to export.'),
        delete: z
          .boolean()
          .default(false)
          .describe('Whether to remove documentation from the folder that is not in the export.'),
        onProgress: z
          .custom<(progress: ExportProgress) => void>((value) => typeof value === 'function')
          .optional(),
      }),
    )
    .output(
      z.object({
        space: z.string(),
        revision: z.string(),
        files: z.number().int().describe('The number of files in the export.'),
        written: z.number().int().describe('The number of these that were new or changed.'),
        removed: z.array(z.string()),
        left: z.array(z.string()).describe('The documentation in the folder that is not in the export.'),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const { space, organization, revision, root } = await ctx.transaction((em) =>
        lookUpExportSource(em, input),
      );
      const { db, services } = ctx;
      const reader = objectReader(db);
      const snapshot = await openSnapshot(reader, root);
      const content = { db, services, engine: localEngine, space: { organization }, snapshot };
      const plan = await planExport(reader, root, await readGeneratedPaths(content));
      const target = await openTarget(input.folder);
      const { texts, contents, layout } = plan;
      const paths = [...texts, ...contents].map(({ path }) => path).concat([...layout.files.values()]);
      await requireOwnFolder(target, input.folder, paths);
      const ignoresCase = await target.ignoresCase();
      if (ignoresCase) requireDistinctPaths(input.folder, paths);
      // Before the export is written: its table of contents decides what counts as documentation.
      const unexported = await findOtherDocumentation(input.folder, paths, ignoresCase);

      const total = countExportFiles(plan);
      let done = 0;
      let written = 0;
      for await (const file of exportFiles(reader, plan)) {
        if (await target.write(file.path, contentOf(file, services.storage))) written++;
        input.onProgress?.({ done: ++done, total });
      }
      if (input.delete) for (const path of unexported) await target.remove(path);
      const [removed, left] = input.delete ? [unexported, []] : [[], unexported];
      return { space, revision, files: total, written, removed, left };
    }),
});

const contentOf = (file: ExportedFile, storage: FileStorage): FileContent =>
  'text' in file ? file.text : { file: file.file, open: () => storage.read(file.file.sha256) };

/** @throws DomainError `invalid` if the folder has only unrelated files, which the export would get mixed up with */
async function requireOwnFolder(
  target: FolderTarget,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  if (target.names.every(isIgnoredName)) return;
  for (const path of paths) if (await target.has(path)) return;
  throw new DomainError(
    'invalid',
    `${folder} has other files and none of this documentation: choose an empty folder, or a checkout of the documentation.`,
  );
}

/** The files in a folder that an import would read, but that are not in the export. */
async function findOtherDocumentation(
  folder: string,
  paths: readonly string[],
  ignoresCase: boolean,
): Promise<string[]> {
  // Some file systems normalize the names that they are given.
  const keyOf = ignoresCase ? foldPath : toNfc;
  const exported = new Set(paths.map(keyOf));
  try {
    const { outline, files, reusableContents } = await scanSource(await openFolder(folder));
    const found = [...pathsOf(outline), ...reusableContents, ...files.map(({ path }) => path)];
    return found.filter((path) => !exported.has(keyOf(path))).sort();
  } catch (error) {
    // There is no documentation in the folder yet.
    if (error instanceof ImportError) return [];
    throw error;
  }
}
