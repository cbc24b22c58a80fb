import { z } from 'zod';
import type { ContentView } from '../content/files.api.ts';
import { presentPageField } from '../content/pages.api.ts';
import type { Json } from '../engine/store/canonical.ts';
import type { Changes } from '../engine/store/changes.ts';
import type { ContentChange } from '../engine/store/diff.ts';
import type { FileRecord, PageRecord, ReusableContentRecord } from '../engine/store/records.ts';
import { ChangeRequestObject } from './change-requests.api.ts';

export const ChangedPage = z.object({
  id: z.string().describe('The id of the page.'),
  type: z.enum(['document', 'group', 'link', 'computed']).describe('The kind of page.'),
  title: z.string().describe('The title of the page.'),
  path: z.string().optional().describe('The path of the page; absent for links.'),
});
const ChangedFile = z.object({
  id: z.string().describe('The id of the file.'),
  name: z.string().describe('The name of the file, with its extension.'),
  contentType: z.string().describe('The media type of the file.'),
  downloadURL: z.string().describe('The URL from which the file is downloaded.'),
});
const ChangedReusableContent = z.object({
  id: z.string().describe('The id of the reusable content.'),
  title: z.string().describe('The title, as shown to users.'),

  document: z.string().describe('The id of its document. Equal ids stand for equal documents.'),
});
/** Changed fields with their values before and after. */
const Attributes = z.record(
  z.string(),
  z.object({
    before: z.unknown().optional().describe('The value before the change; absent if there was none.'),
    after: z.unknown().optional().describe('The value after the change; absent if there is none.'),
  }),
);

const changedFields = (what: string) =>
  `The fields that changed. The values of \`document\` are ids: to read the documents themselves, get ${what} in either revision.`;

const ChangeObject = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('page_created').describe('The kind of change.'),
      page: ChangedPage.describe('The page that changed.'),
    }),
    z.object({
      type: z.literal('page_edited').describe('The kind of change.'),
      page: ChangedPage.describe('The page that changed.'),
      attributes: Attributes.describe(changedFields('the page')),
    }),
    z.object({
      type: z.literal('page_moved').describe('The kind of change.'),
      page: ChangedPage.describe('The page that changed.'),

      parent: z
        .object({
          before: ChangedPage.optional().describe('The parent before; absent if it was at the top level.'),
          after: ChangedPage.optional().describe('The parent after; absent if it is at the top level.'),
        })
        .describe('The page that it is below, before and after the move.'),
    }),
    z.object({
      type: z.literal('page_deleted').describe('The kind of change.'),
      page: ChangedPage.describe('The page that changed.'),
    }),
    z.object({
      type: z.literal('file_created').describe('The kind of change.'),
      file: ChangedFile.describe('The file that changed.'),
    }),
    z.object({
      type: z.literal('file_edited').describe('The kind of change.'),
      file: ChangedFile.describe('The file that changed.'),
      attributes: Attributes.describe('The fields that changed.'),
    }),
    z.object({
      type: z.literal('file_deleted').describe('The kind of change.'),
      file: ChangedFile.describe('The file that changed.'),
    }),
    z.object({
      type: z.literal('reusable_content_created').describe('The kind of change.'),
      reusableContent: ChangedReusableContent.describe('The reusable content that changed.'),
    }),
    z.object({
      type: z.literal('reusable_content_edited').describe('The kind of change.'),
      reusableContent: ChangedReusableContent.describe('The reusable content that changed.'),
      attributes: Attributes.describe(changedFields('the reusable content')),
    }),
    z.object({
      type: z.literal('reusable_content_deleted').describe('The kind of change.'),
      reusableContent: ChangedReusableContent.describe('The reusable content that changed.'),
    }),
    z.object({
      type: z.literal('variables_edited').describe('The kind of change.'),
      variables: Attributes.describe('The variables that changed.'),
    }),
  ])
  .meta({
    id: 'RevisionSemanticChange',
    description: 'A change to a page, a file, a reusable content or the variables.',
  });

/** What changed from one revision to another, in the terms of an author. */
export const ChangesObject = z
  .object({
    mergedFrom: ChangeRequestObject.optional().describe('The change request whose merge made the revision.'),
    changes: z.array(ChangeObject).describe('The changes, by page, file and reusable content.'),

    more: z.number().int().optional().describe('The number of changes beyond the limit.'),
  })
  .meta({
    id: 'RevisionSemanticChanges',
    description: 'What changed from one revision to another, in the terms of an author.',
  });

export const presentChanges = (
  found: Changes,
  view: ContentView,
): Pick<z.infer<typeof ChangesObject>, 'changes' | 'more'> => ({
  changes: found.changes.map((change) => presentChange(change, found, view)),
  more: found.more > 0 ? found.more : undefined,
});

type Paths = ReadonlyMap<string, string>;

function presentChange(
  change: ContentChange,
  { paths, parents }: Changes,
  view: ContentView,
): z.infer<typeof ChangeObject> {
  switch (change.type) {
    case 'page_created':
      return { type: change.type, page: presentChangedPage(change.page, paths.after) };
    case 'page_deleted':
      return { type: change.type, page: presentChangedPage(change.page, paths.before) };
    case 'page_edited': {
      const { type, page, attributes } = change;
      return {
        type,
        page: presentChangedPage(page, paths.after),
        attributes: presentPageAttributes(attributes),
      };
    }
    case 'page_moved': {
      const side = (name: 'before' | 'after') => {
        const id = change.parent[name];
        const page = id === null ? undefined : parents[name].get(id);
        return page && presentChangedPage(page, paths[name]);
      };
      const parent = { before: side('before'), after: side('after') };
      return { type: change.type, page: presentChangedPage(change.page, paths.after), parent };
    }
    case 'file_created':
    case 'file_deleted':
      return { type: change.type, file: presentChangedFile(change.file, view) };
    case 'file_edited': {
      const { type, file, attributes } = change;
      return {
        type,
        file: presentChangedFile(file, view),
        attributes: presentFileAttributes(file, attributes, view),
      };
    }
    case 'reusable_content_created':
    case 'reusable_content_deleted':
      return { type: change.type, reusableContent: presentChangedContent(change.reusableContent) };
    case 'reusable_content_edited': {
      const { type, reusableContent, attributes } = change;
      return { type, reusableContent: presentChangedContent(reusableContent), attributes };
    }
    case 'variables_edited':
      return change;
  }
}

export const presentChangedPage = (
  { id, type, title }: PageRecord,
  paths: Paths,
): z.infer<typeof ChangedPage> => ({
  id,
  type,
  title,
  path: type === 'link' ? undefined : paths.get(id),
});

const presentChangedFile = (file: FileRecord, view: ContentView): z.infer<typeof ChangedFile> => ({
  id: file.id,
  name: file.name,
  contentType: file.contentType,
  downloadURL: view.downloadURL(file),
});

const presentChangedContent = ({
  id,
  title,
  document,
}: ReusableContentRecord): z.infer<typeof ChangedReusableContent> => ({ id, title, document });

type PageAttributes = Extract<ContentChange, { type: 'page_edited' }>['attributes'];

function presentPageAttributes(attributes: PageAttributes): PageAttributes {
  const entries = Object.entries(attributes).map(([field, { before, after }]) => {
    const present = (value: Json | undefined) => value && presentPageField(field, value);
    return [field, { before: present(before), after: present(after) }] as const;
  });
  return Object.fromEntries(entries) as PageAttributes;
}

type FileAttributes = Extract<ContentChange, { type: 'file_edited' }>['attributes'];

/** Replaces the hash of a file's bytes by their URL. */
function presentFileAttributes(
  file: FileRecord,
  attributes: FileAttributes,
  view: ContentView,
): FileAttributes {
  const { sha256: bytes, ...others } = attributes;
  if (!bytes) return others;
  const address = (sha256: unknown) => view.downloadURL({ ...file, sha256: String(sha256) });
  return { ...others, downloadURL: { before: address(bytes.before), after: address(bytes.after) } };
}
