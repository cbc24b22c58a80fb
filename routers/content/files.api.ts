import { z } from 'zod';
import type { Urls } from '../base/ports.ts';
import type { FileRecord } from '../engine/store/records.ts';

/** Where a page, file or reusable content came from in a git repository. */
export const GitBlob = z.object({
  oid: z.string().describe('The id of the Git object.'),
  path: z.string().describe('The path of the file in the repository.'),
});

/** The public object of a file. `downloadURL` works for some days, and without a token. */
export const FileObject = z
  .object({
    id: z.string().describe('An opaque identifier that never changes.'),
    name: z.string().describe('The name of the file, with its extension.'),
    contentType: z.string().describe('The media type of the file.'),
    downloadURL: z.string().describe('The URL from which the file is downloaded.'),
    size: z.number().int().describe('The size in bytes.'),
    dimensions: z
      .object({ width: z.number().describe('In pixels.'), height: z.number().describe('In pixels.') })
      .optional()
      .describe('The size of an image in pixels.'),
    git: GitBlob.optional().describe('The file in Git that it was imported from.'),
  })
  .meta({ id: 'RevisionFile', description: 'A file of a space.' });

export interface ContentView {
  urls: Urls;
  space: string;
  /** The URL of a file's bytes. */
  downloadURL: (file: FileRecord) => string;
  /** Whether git metadata is included. */
  metadata: boolean;
  /** Whether the conditions under which visitors see pages are included. */
  conditions: boolean;
}

export const presentFile = (file: FileRecord, view: ContentView): z.infer<typeof FileObject> => ({
  id: file.id,
  name: file.name,
  contentType: file.contentType,
  downloadURL: view.downloadURL(file),
  size: file.size,
  dimensions: file.dimensions,
  git: view.metadata ? file.git : undefined,
});
