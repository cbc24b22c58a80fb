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
    id: z.string(),
    title: z.string(),
    /** Id of its document. */
    document: z.string(),
    git: GitBlob.optional(),
  })
  .meta({ id: 'ReusableContent' });

/** A tag of pages. Only its name is known of it, so that its color is the default one. */
const TagObject = z.object({ slug: z.string(), label: z.string(), color: z.literal('default') });

/** The public object of a revision: all of a space's content at one time, without the text of pages. */
export const RevisionObject = z.object({
  object: z.literal('revision'),
  id: z.string(),
  parents: z.array(z.string()),
  pages: z.array(PageObject),
  files: z.array(FileObject),
  reusableContents: z.array(ReusableContentObject),
  tags: z.array(TagObject).describe('The tags that its pages have.'),
  variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  createdAt: z.string(),
  git: z
    .object({
      oid: z.string(),
      message: z.string(),
      createdByService: z.boolean(),
      url: z.string().optional(),
      ref: z.string().optional(),
    })
    .optional(),
  urls: z.object({ app: z.string(), published: z.string().optional(), public: z.string().optional() }),
  type: z.enum(REVISION_TYPES),
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
