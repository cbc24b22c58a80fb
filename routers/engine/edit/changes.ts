import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { text } from '../../../schema/json/text.ts';
import { ContentRef, DocumentInput } from '../document/document.ts';
import { Emoji } from '../emoji.ts';
import { Condition } from '../expressions/conditions.ts';
import { ComputedSource } from '../store/computed-source.ts';
import { Cover, Layout, MAX_TAGS, PageTag } from '../store/page-fields.ts';
import { FILE_LIMIT, URL_LIMITS } from './files.ts';

/** Code points of Markdown in one document, and in one request: parsing blocks other requests. */
const MARKDOWN_LENGTH = 1_000_000;
const MARKDOWN_TOTAL = 2_000_000;

/** Largest body of an edit in bytes: it may include files as base64. */
export const EDIT_BODY_LIMIT = 20 * 1024 * 1024;

/** A name by which later changes of the same request refer to a page or file that has no id yet. */
const Ref = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" or "_"');
/** The id of a page or file, or the `ref` of an earlier change. */
const NameOrId = text({ min: 1, max: 64 });

const VariableName = z.string().regex(/^[\p{L}_$][\p{L}\p{N}_$-]{0,99}$/u, 'must be a variable name');

const DocumentContent = z
  .object({
    markdown: text({ max: MARKDOWN_LENGTH })
      .optional()
      .describe(
        'A first line `# Text` that says the title of the page is left out of its content. Where it says another and ' +
          'the change has no `title`, it is the new title; beside a `title` that differs, it stays a heading.',
      ),
    document: DocumentInput.optional().describe('The content as a document of blocks.'),
  })
  .refine(({ markdown, document }) => (markdown === undefined) !== (document === undefined), {
    error: 'must have either markdown or a document',
  });
export type DocumentContent = z.infer<typeof DocumentContent>;

export const Title = text({ min: 1, max: 200 });
/** Optional fields of a page: null removes one. */
const optionalFields = {
  slug: text({ min: 1, max: 100 }).nullable().optional().describe('Null derives it from the title.'),
  description: text({ max: 2000 }).nullable().optional().describe('What the page is about; null removes it.'),
  emoji: Emoji.nullable().optional().describe('An emoji before the title; null removes it.'),
  icon: text({ min: 1, max: 50 }).nullable().optional().describe('The name of an icon; null removes it.'),
  layout: Layout.partial()
    .nullable()
    .optional()
    .describe('Which parts of the page are shown; null resets it.'),
  cover: Cover.nullable().optional().describe('The image at the top of the page; null removes it.'),
  variables: z
    .record(VariableName, z.union([text({ max: 10_000 }), z.number(), z.boolean()]))
    .nullable()
    .optional()
    .describe('The variables of the page, by name; null removes all.'),
  hidden: z.boolean().optional().describe('Whether the page is left out of the table of contents.'),
  condition: Condition.nullable()
    .optional()
    .describe(
      'Visitors of a site for whom it does not hold see neither the page nor the pages below it. Where sites that show ' +
        'the space have adaptive schemas, it names only claims that one of these has.',
    ),
  noIndex: z.boolean().optional().describe('Whether the page is left out of search.'),
  noRobotsIndex: z.boolean().optional().describe('Whether search engines are asked to leave the page out.'),
  tags: z.array(PageTag).max(MAX_TAGS).nullable().optional().describe('Slugs of tags; null removes all.'),
  target: ContentRef.optional().describe('Target of a link.'),
  computed: ComputedSource.optional().describe('What a computed page is made from.'),
};
const at = z
  .number()
  .int()
  .min(0)
  .max(1_000_000)
  .optional()
  .describe('The place among its siblings, from 0; the end by default.');

const InsertPage = z
  .object({
    operation: z.literal('insert_page').describe('What kind of change it is.'),
    title: Title.describe('The title of the new page.'),
    ...optionalFields,
    type: z
      .enum(['document', 'group', 'link', 'computed'])
      .default('document')
      .describe('What kind of page is made.'),
    document: DocumentContent.optional().describe('The content of the new page.'),
    into: NameOrId.nullable()
      .optional()
      .describe('The id or `ref` of the page that it goes below; the top of the space by default.'),
    at,
    ref: Ref.optional().describe(
      'A name by which later changes of the same request refer to what this one makes.',
    ),
  })
  .meta({ id: 'InsertPage', description: 'Adds a page.' });

const UpdatePage = z
  .object({
    operation: z.literal('update_page').describe('What kind of change it is.'),
    page: NameOrId.describe('The id or `ref` of the page.'),
    title: Title.optional().describe('The new title.'),
    ...optionalFields,
    type: z
      .enum(['document', 'group', 'link', 'computed'])
      .optional()
      .describe('Must equal the current type.'),
    document: DocumentContent.optional().describe('The new content.'),
    into: NameOrId.nullable().optional().describe('Moves the page; null to the top level.'),
    at,
  })
  .meta({ id: 'UpdatePage', description: 'Changes a page, its place or its content.' });

const DeletePage = z
  .object({
    operation: z.literal('delete_page').describe('What kind of change it is.'),
    page: NameOrId.describe('Deleted with all pages below it.'),
  })
  .meta({ id: 'DeletePage', description: 'Deletes a page with all pages below it.' });

const RevertPage = z
  .object({
    operation: z.literal('revert_page').describe('What kind of change it is.'),
    page: NameOrId.describe('The id of the page.'),
    revision: z
      .string()
      .optional()
      .describe(
        'Revision to revert to; by default the start of the change request, or the one before the last edit.',
      ),
  })
  .meta({ id: 'RevertPage', description: 'Takes a page back to an earlier revision.' });

/** The name of a file as callers give it: a single path segment, not "." or "..". */
const FileName = text({ min: 1, max: 255 })
  .refine((name) => !/[/\\\p{Cc}]/u.test(name), {
    error: 'must be a name without slashes and control characters',
  })
  .refine((name) => !/^(\.\.?|\s*)$/u.test(name), { error: 'must be a name, not "." or ".." or blank' });

const InsertFile = z
  .object({
    name: FileName.describe('The name of the file, with its extension.'),
    url: HttpUrl.optional().describe(
      `One edit names at most ${URL_LIMITS.files} files by url, of at most ${FILE_LIMIT} bytes each and ` +
        `${URL_LIMITS.bytes} together, which are read within ${URL_LIMITS.time / 1000} seconds.`,
    ),
    base64: z.string().optional().describe(`At most ${FILE_LIMIT} bytes.`),
    upload: z
      .string()
      .max(2048)
      .optional()
      .describe('The `upload` from the response to an upload to the space.'),
    ref: Ref.optional().describe(
      'A name by which later changes of the same request refer to what this one makes.',
    ),
  })
  .refine(
    (file) => [file.url, file.base64, file.upload].filter((given) => given !== undefined).length === 1,
    {
      error: 'must have one of url, base64 and upload',
    },
  );
export type InsertFile = z.infer<typeof InsertFile>;

const InsertFiles = z
  .object({
    operation: z.literal('insert_files').describe('What kind of change it is.'),
    files: z.array(InsertFile).min(1).max(50).describe('The files to add.'),
  })
  .meta({ id: 'InsertFiles', description: 'Adds files.' });

const ResolveConflict = z
  .object({
    operation: z.literal('resolve_conflict').describe('What kind of change it is.'),
    conflict: z.string().describe('Id of a conflict. Change requests only.'),
    take: z
      .union([z.enum(['ours', 'theirs']), DocumentContent])
      .describe('`ours` is the change request, `theirs` the space; or the new content of the page.'),
  })
  .meta({ id: 'ResolveConflict', description: 'Settles a conflict of a change request with its space.' });

const EditChange = z
  .discriminatedUnion('operation', [
    InsertPage,
    UpdatePage,
    DeletePage,
    RevertPage,
    InsertFiles,
    ResolveConflict,
  ])
  .meta({ id: 'ContentEdit', description: 'One change of the content of a space or change request.' });
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
    .refine((changes) => changes.reduce((sum, change) => sum + countUrls(change), 0) <= URL_LIMITS.files, {
      error: `must name at most ${URL_LIMITS.files} files by url`,
    })
    .describe(
      'Applied in order, all or none, as one revision; conflicts resolved by taking a side come first.',
    ),
  compat: z
    .boolean()
    .default(true)
    .describe('False adds the created and changed pages and files to the response.'),
};
