import { z } from 'zod';
import type { Urls } from '../base/ports.ts';
import type { FileRecord } from '../engine/store/records.ts';

/** Where a page, file or reusable content came from in a git repository. */
export const GitBlob = z.object({ oid: z.string(), path: z.string() });

/** The public object of a file; `size` is in bytes, `downloadURL` works for some days and without a token. */
export const FileObject = z
  .object({
    id: z.string(),
    name: z.string(),
    contentType: z.string(),
    downloadURL: z.string(),
    size: z.number().int(),
    dimensions: z.object({ width: z.number(), height: z.number() }).optional(),
    git: GitBlob.optional(),
  })
  .meta({ id: 'File' });

export interface ContentView {
  urls: Urls;
  space: string;
  /** URL of a file's bytes. */
  downloadURL: (file: FileRecord) => string;
  /** Whether git metadata is shown. */
  metadata: boolean;
  /** Whether it is shown under which conditions visitors see a page. */
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
