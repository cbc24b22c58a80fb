import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { text } from '../../../schema/json/text.ts';
import { byteLimit } from '../byte-limit.ts';
import { ContentRef, DocumentInput } from '../document/document.ts';
import { Emoji } from '../emoji.ts';
import { Condition } from '../expressions/conditions.ts';
import { ComputedSource } from '../store/computed-source.ts';
import { Cover, Layout, MAX_TAGS, PageTag } from '../store/page-fields.ts';
import { FILE_LIMIT, URL_LIMITS } from './files.ts';

/** Maximum lengths of the Markdown of one document, and of one request, in code points: parsing it blocks other requests. */
const MARKDOWN_LENGTH = 1_000_000;
const MARKDOWN_TOTAL = 2_000_000;

/** Maximum size of the body of an edit, in bytes: it may include files in base64. */
export const EDIT_BODY_LIMIT = 20 * 1024 * 1024;

/** A name by which later changes in the same request refer to a new page or file. */
const Ref = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" or "_"');
/** The id of a page or file, or the `ref` of an earlier change. */
const NameOrId = text({ min: 1, max: 64 });

const VariableName = z.string().regex(/^[\p{L}_$][\p{L}\p{N}_$-]{0,99}$/u, 'must be a variable name');

const DocumentContent = z
  .object({
    markdown: text({ max: MARKDOWN_LENGTH })
      .optional()
      .describe(
        'If it starts with a level-1 heading that equals the title of the page, the heading is removed. If the heading ' +
          'differs, it becomes the title, unless the change has a different `title`: then it stays in the content.',
      ),
    document: DocumentInput.optional().describe('The content as a document of blocks.'),
  })
  .refine(({ markdown, document }) => (markdown === undefined) !== (document === undefined), {
    error: 'must have either markdown or a document',
  });
export type DocumentContent = z.infer<typeof DocumentContent>;

export const Title = text({ min: 1, max: 200 });
/** Optional fields of a page; null removes a field. */
const optionalFields = {
  // Longer than a slug can be now: a slug must be accepted as it was read.
  slug: text({ min: 1, max: 200 })
    .nullable()
    .optional()
    .describe(
      'The segment of the page in its path: it is normalized, shortened to 100 characters, and made unique among its ' +
        'siblings; null derives it from the title.',
    ),
  description: text({ max: 2000 })
    .nullable()
    .optional()
    .describe('A description of the page; null removes it.'),
  emoji: Emoji.nullable().optional().describe('An emoji before the title; null removes it.'),
  icon: text({ min: 1, max: 50 }).nullable().optional().describe('The name of an icon; null removes it.'),
  layout: Layout.partial()
    .nullable()
    .optional()
    .describe('Which parts of the page are visible; null restores the defaults.'),
  cover: Cover.nullable().optional().describe('The image at the top of the page; null removes it.'),
  variables: z
    .record(VariableName, z.union([text({ max: 10_000 }), z.number(), z.boolean()]))
    .nullable()
    .optional()
    .describe('The variables of the page by name; null removes all of them.'),
  hidden: z.boolean().optional().describe('Whether the page is hidden from the table of contents.'),
  condition: Condition.nullable()
    .optional()
    .describe(
      'An expression over the claims of visitors of a site. If it is false, they see neither the page nor the pages below ' +
        'it. It may only use claims that an adaptive schema of a site with this space declares, if there are any.',
    ),
  noIndex: z.boolean().optional().describe('Whether the page is excluded from search.'),
  noRobotsIndex: z.boolean().optional().describe('Whether search engines are asked not to index the page.'),
  tags: z
    .array(PageTag)
    .max(MAX_TAGS)
    .nullable()
    .optional()
    .describe('The tags of the page; null removes all of them.'),
  target: ContentRef.optional().describe('The target, if the page is a link.'),
  computed: ComputedSource.optional().describe('The source, if the page is computed.'),
};
const at = z
  .number()
  .int()
  .min(0)
  .max(1_000_000)
  .optional()
  .describe('The index among its siblings, from 0; the end by default.');

const InsertPage = z
  .object({
    operation: z.literal('insert_page').describe('The type of change.'),
    title: Title.describe('The title of the new page.'),
    ...optionalFields,
    type: z
      .enum(['document', 'group', 'link', 'computed'])
      .default('document')
      .describe('The type of the new page.'),
    document: DocumentContent.optional().describe('The content of the new page.'),
    into: NameOrId.nullable()
      .optional()
      .describe('The id or `ref` of the parent page; the top level of the space by default.'),
    at,
    ref: Ref.optional().describe(
      'A name by which later changes in the same request can refer to the new page or file.',
    ),
  })
  .meta({ id: 'InsertPage', description: 'Adds a page.' });

const UpdatePage = z
  .object({
    operation: z.literal('update_page').describe('The type of change.'),
    page: NameOrId.describe('The id or `ref` of the page.'),
    title: Title.optional().describe('The new title.'),
    ...optionalFields,
    type: z
      .enum(['document', 'group', 'link', 'computed'])
      .optional()
      .describe('The current type of the page, which cannot be changed.'),
    document: DocumentContent.optional().describe('The new content.'),
    into: NameOrId.nullable()
      .optional()
      .describe('The id or `ref` of the new parent page; null moves it to the top level.'),
    at,
  })
  .meta({ id: 'UpdatePage', description: 'Changes the fields, the placement or the content of a page.' });

const DeletePage = z
  .object({
    operation: z.literal('delete_page').describe('The type of change.'),
    page: NameOrId.describe('The id or `ref` of the page.'),
  })
  .meta({ id: 'DeletePage', description: 'Deletes a page with all pages below it.' });

const RevertPage = z
  .object({
    operation: z.literal('revert_page').describe('The type of change.'),
    page: NameOrId.describe('The id of the page.'),
    revision: z
      .string()
      .optional()
      .describe(
        'The id of the revision to revert to; by default the start of the change request, or the revision before the last edit.',
      ),
  })
  .meta({ id: 'RevertPage', description: 'Reverts a page to an earlier revision.' });

/** The name of a file from a caller: a single path segment, not "." or "..". */
const FileName = text({ min: 1, max: 255 })
  .refine((name) => !/[/\\\p{Cc}]/u.test(name), {
    error: 'must not contain slashes or control characters',
  })
  // guard: file-name-path
  .refine((name) => !/^(\.\.?|\s*)$/u.test(name), { error: 'must be a name, not "." or ".." or blank' });

const InsertFile = z
  .object({
    name: FileName.describe('The name of the file, with its extension.'),
    url: HttpUrl.optional().describe(
      `The URL to fetch the file from. An edit may have at most ${URL_LIMITS.files} such files, of at most ` +
        `${byteLimit(FILE_LIMIT)} each and ${byteLimit(URL_LIMITS.bytes)} in total, fetched within ${URL_LIMITS.time / 1000} seconds.`,
    ),
    base64: z
      .string()
      .optional()
      .describe(`The content of the file in base64; at most ${byteLimit(FILE_LIMIT)}.`),
    upload: z
      .string()
      .max(2048)
      .optional()
      .describe('The `upload` field of the response to an upload to the space.'),
    ref: Ref.optional().describe(
      'A name by which later changes in the same request can refer to the new page or file.',
    ),
  })
  .refine(
    (file) => [file.url, file.base64, file.upload].filter((given) => given !== undefined).length === 1,
    {
      error: 'must have exactly one of url, base64 and upload',
    },
  );
export type InsertFile = z.infer<typeof InsertFile>;

const InsertFiles = z
  .object({
    operation: z.literal('insert_files').describe('The type of change.'),
    files: z.array(InsertFile).min(1).max(50).describe('The files to add.'),
  })
  .meta({ id: 'InsertFiles', description: 'Adds files.' });

const ResolveConflict = z
  .object({
    operation: z.literal('resolve_conflict').describe('The type of change.'),
    conflict: z.string().describe('The id of a conflict; only for change requests.'),
    take: z
      .union([z.enum(['ours', 'theirs']), DocumentContent])
      .describe('`ours` to keep the change request, `theirs` to take the space, or new content of the page.'),
  })
  .meta({
    id: 'ResolveConflict',
    description: 'Resolves a conflict between a change request and its space.',
  });

const EditChange = z
  .discriminatedUnion('operation', [
    InsertPage,
    UpdatePage,
    DeletePage,
    RevertPage,
    InsertFiles,
    ResolveConflict,
  ])
  .meta({ id: 'ContentEdit', description: 'A change to the content of a space or change request.' });
export type EditChange = z.infer<typeof EditChange>;
export type ChangeOf<Operation extends EditChange['operation']> = Extract<
  EditChange,
  { operation: Operation }
>;

function markdownLength(change: EditChange): number {
  const content = 'document' in change ? change.document : 'take' in change ? change.take : undefined;
  return typeof content === 'object' ? (content.markdown?.length ?? 0) : 0;
}

const countUrls = (change: EditChange): number =>
  change.operation === 'insert_files' ? change.files.filter(({ url }) => url !== undefined).length : 0;

/** The input of all edits. */
export const editInput = {
  changes: z
    .array(EditChange)
    .min(1)
    .max(50)
    .refine((changes) => changes.reduce((sum, change) => sum + markdownLength(change), 0) <= MARKDOWN_TOTAL, {
      error: `must have at most ${MARKDOWN_TOTAL} characters of Markdown`,
    })
    // guard: url-file-count
    .refine((changes) => changes.reduce((sum, change) => sum + countUrls(change), 0) <= URL_LIMITS.files, {
      error: `must have at most ${URL_LIMITS.files} files by url`,
    })
    .describe(
      'Applied in order and atomically, as one revision; conflicts resolved by taking a side come first.',
    ),
  compat: z
    .boolean()
    .default(true)
    .describe('If false, the response includes the pages and files that were created or changed.'),
};
