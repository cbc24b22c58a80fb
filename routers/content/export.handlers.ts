import type { Readable } from 'node:stream';
import { z } from 'zod';
import { declaredAs } from '../../schema/json/declared-type.ts';
import { type Caller, currentCaller } from '../base/caller.ts';
import { handlersFor } from '../base/mount.ts';
import { type ExportPlan, exportFiles, sizeOfExport } from '../engine/export/export.ts';
import { safeName } from '../engine/export/file-names.ts';
import type { ReadableContent } from './content.handlers.ts';
import type { ExportObject } from './export.api.ts';

/** The module of what tRPC clients get. */
const EXPORT_OBJECT = new URL('./export.api.ts', import.meta.url).href;

/** A file of an export: its text, or a function that opens its bytes. Paths are relative and safe on every system. */
export interface ArchivedFile {
  readonly path: string;
  readonly content: string | (() => Promise<Readable>);
}

/**
 * The content of a space as the files of a documentation repository. The facade sends it as a zip archive, tRPC clients get
 * the address of that, and callers in the same process read the files.
 */
export class ContentExport implements ExportObject {
  readonly object = 'export';
  readonly name: string;
  readonly total: number;
  readonly downloadURL: string;
  /** The time of the content. */
  readonly #modified: Date;
  readonly #caller = currentCaller();
  readonly #open: () => AsyncGenerator<ArchivedFile, void, undefined>;

  constructor(
    shown: { name: string; total: number; downloadURL: string; modified: Date },
    open: () => AsyncGenerator<ArchivedFile, void, undefined>,
  ) {
    this.name = shown.name;
    this.total = shown.total;
    this.downloadURL = shown.downloadURL;
    this.#modified = shown.modified;
    this.#open = open;
  }

  get modified(): Date {
    return this.#modified;
  }

  /** Whom it is read for. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** The files, each written when it is asked for. */
  files(): AsyncGenerator<ArchivedFile, void, undefined> {
    return this.#open();
  }
}

interface ExportableContent extends ReadableContent {
  space: { id: string; title: string; organization: string };
}

/** Exports the content of a space, a revision or a change request, whose archive is at this path of the space. */
export const exportHandlers = (pathOf: (ids: Record<string, string>) => string[]) => ({
  export: handlersFor<ExportableContent>().query({
    // The ids in the path, which base procedures read.
    input: z.looseObject({}),
    output: declaredAs<ExportObject>(z.instanceof(ContentExport), 'ExportObject', EXPORT_OBJECT),
    async resolve({ space, revision, snapshot, services, engine }, input) {
      const { reader } = snapshot;
      const plan = await engine.run('exportPlan', { root: revision.root }, reader);
      return new ContentExport(
        {
          name: `${safeName(space.title, 'space')}.zip`,
          total: sizeOfExport(plan),
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

/** What routes of exports have in common. */
export const EXPORT = {
  produces: 'application/zip',
  description:
    'A zip archive of Markdown files, settings and assets, as a documentation repository has them. What was imported and ' +
    'not edited since is as it was in its file.',
} as const;
