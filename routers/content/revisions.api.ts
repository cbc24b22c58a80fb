import { z } from 'zod';
import type { Revision } from '../../schema/entities/revision.ts';
import { REVISION_TYPES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { FileRecord, ReusableContentRecord } from '../engine/store/records.ts';
import type { PageNode } from '../engine/store/snapshot.ts';
import { type ContentView, FileObject, GitBlob, presentFile } from './files.api.ts';
import { PageObject, presentPage } from './pages.api.ts';

export const ReusableContentObject = z
  .object({
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),

    document: z.string().describe('The id of its document.'),
    git: GitBlob.optional().describe('The file in Git that the reusable content was imported from.'),
  })
  .meta({ id: 'RevisionReusableContent', description: 'A piece of content that pages include.' });

/** A tag of pages. Only its name is stored, so its color is always the default. */
const TagObject = z.object({
  slug: z.string().describe('The name of the tag in URLs; it never changes.'),
  label: z.string().describe('The name of the tag that people see.'),
  color: z.literal('default').describe('The color that the tag is shown in.'),
});

/** The public object of a revision: all of a space's content at one point in time, without the text of pages. */
export const RevisionObject = z.object({
  object: z.literal('revision').describe('The type of the object: always `revision`.'),
  id: z.string().describe('An opaque identifier that never changes.'),
  parents: z
    .array(z.string())
    .describe("The ids of the revisions that it was made from, the branch's own first."),
  pages: z.array(PageObject).describe('The pages at the top, each with those below it.'),
  files: z.array(FileObject).describe('All files.'),
  reusableContents: z.array(ReusableContentObject).describe('All reusable contents.'),
  tags: z.array(TagObject).describe('The tags that its pages have.'),
  variables: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('The variables, by name.'),
  createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  git: z
    .object({
      oid: z.string().describe('The id of the Git object.'),
      message: z.string().describe('The message of the commit.'),
      createdByService: z.boolean().describe('Whether the service made the commit.'),
      url: z.string().optional().describe('The URL of the commit.'),
      ref: z.string().optional().describe('The branch or tag of the commit.'),
    })
    .optional()
    .describe('The commit that the revision was imported from, if it came from Git.'),
  urls: z
    .object({
      app: z.string().describe('The URL of the object in the web app.'),
      published: z
        .string()
        .optional()
        .describe('The URL of the published content; absent unless it is published.'),
      public: z.string().optional().describe('An older name of `published`.'),
    })
    .describe('The URLs of the object.'),
  type: z.enum(REVISION_TYPES).describe('What created the revision.'),
});

/** The columns of a revision that readers need. */
export type RevisionRow = Pick<
  Presentable<Revision>,
  'id' | 'root' | 'type' | 'parents' | 'git' | 'createdAt'
>;

interface RevisionContent {
  pages: readonly PageNode[];
  files: readonly FileRecord[];
  reusableContents: readonly ReusableContentRecord[];
  variables: object;
}

export const presentReusableContent = (
  content: ReusableContentRecord,
  view: ContentView,
): z.infer<typeof ReusableContentObject> => ({
  id: content.id,
  title: content.title,
  document: content.document,
  git: view.metadata && content.git ? { oid: content.git.oid, path: content.git.path } : undefined,
});

/** The slugs of all tags that pages have, sorted. */
function tagsOf(pages: readonly PageNode[]): string[] {
  const found = new Set<string>();
  const open = [...pages];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const { tag } of node.page.tags ?? []) found.add(tag);
    for (const child of node.pages) open.push(child);
  }
  return [...found].sort();
}

export const presentRevision = (
  revision: RevisionRow,
  content: RevisionContent,
  view: ContentView,
): z.infer<typeof RevisionObject> => ({
  object: 'revision',
  id: revision.id,
  parents: revision.parents,
  pages: content.pages.map((node) => presentPage(node, view)),
  tags: tagsOf(content.pages).map((slug) => ({ slug, label: slug, color: 'default' })),
  files: content.files.map((file) => presentFile(file, view)),
  reusableContents: content.reusableContents.map((reusable) => presentReusableContent(reusable, view)),
  variables: content.variables as Record<string, string>,
  createdAt: isoTime(revision.createdAt),
  git: view.metadata ? (revision.git ?? undefined) : undefined,
  urls: { app: view.urls.app('spaces', view.space, 'revisions', revision.id) },
  type: revision.type,
});
