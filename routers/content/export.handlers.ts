import { z } from 'zod';
import { declaredAs } from '../../schema/json/declared-type.ts';
import { handlersFor } from '../base/mount.ts';
import { countExportFiles, type ExportPlan, exportFiles } from '../engine/export/export.ts';
import { safeName } from '../engine/export/file-names.ts';
import { type ArchivedFile, ContentExport } from './content-export.ts';
import type { ExportObject } from './export.api.ts';
import { readGeneratedPaths } from './generated-pages.query.ts';
import type { ReadableContent } from './readable-content.query.ts';

/** The module of the type that tRPC clients receive. */
const EXPORT_OBJECT = new URL('./export.api.ts', import.meta.url).href;

interface ExportableContent extends ReadableContent {
  space: { id: string; title: string; organization: string };
}

/** Exports the content of a space, a revision or a change request; `pathOf` is the path of the archive below the space. */
export const exportHandlers = (pathOf: (ids: Record<string, string>) => string[]) => ({
  export: handlersFor<ExportableContent>().query({
    // The ids in the path, which base procedures parse.
    input: z.looseObject({}),
    output: declaredAs<ExportObject>(z.instanceof(ContentExport), 'ExportObject', EXPORT_OBJECT),
    async resolve(content, input) {
      const { space, revision, snapshot, services, engine } = content;
      const { reader } = snapshot;
      const generated = await readGeneratedPaths(content);
      const plan = await engine.run('exportPlan', { root: revision.root, generated }, reader);
      return new ContentExport(
        {
          name: `${safeName(space.title, 'space')}.zip`,
          total: countExportFiles(plan),
          downloadURL: services.urls.location('spaces', space.id, ...pathOf(input as Record<string, string>)),
          modified: new Date(revision.createdAt),
        },
        () => readFiles(plan),
      );
      async function* readFiles(plan: ExportPlan): AsyncGenerator<ArchivedFile, void, undefined> {
        const write: Parameters<typeof exportFiles>[2] = (buffer, input) =>
          engine.run('exportFile', input, buffer);
        for await (const file of exportFiles(reader, plan, write)) {
          const { path } = file;
          if ('text' in file) yield { path, content: file.text };
          else yield { path, content: () => services.storage.read(file.file.sha256) };
        }
      }
    },
  }),
});

/** The options that all routes of exports share. */
export const EXPORT_ROUTE = {
  produces: 'application/zip',
  description:
    'Returns a zip archive of Markdown files, settings and assets, in the layout of a documentation repository. Files that ' +
    'were imported and not edited since are exported unchanged.',
} as const;
