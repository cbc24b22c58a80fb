import { z } from 'zod';
import { declaredAs } from '../../schema/json/declared-type.ts';
import { presentPageField } from '../content/pages.api.ts';
import { type BlockNode, DOCUMENT_MODULE } from '../engine/document/document.ts';
import { published } from '../engine/markdown/published/published.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { Json } from '../engine/store/canonical.ts';

const Titled = z.object({
  id: z.string().describe('The id of the object.'),
  title: z.string().optional().describe('Its title or name; absent if neither side has the object any more.'),
});

const common = {
  object: z.literal('conflict').describe('The type of the object: always `conflict`.'),
  id: z.string().describe('Stable: a conflict at the same place has the same id in every merge.'),
  page: Titled.optional().describe('The page that the conflict is in.'),
  file: Titled.optional().describe('The file that the conflict is about.'),
  reusableContent: Titled.optional().describe('The reusable content that the conflict is in.'),
  variable: z.string().optional().describe('The name of the variable that the conflict is about.'),
  field: z
    .string()
    .optional()
    .describe(
      'The field of the page, file or block that both sides changed; `cycle` or `depth` if the moves of both sides together would nest pages in each other, or too deeply.',
    ),
  block: z.string().optional().describe('Key of the block, or of the parent of the conflicting blocks.'),
  blockType: z
    .string()
    .optional()
    .describe('The type of the block, such as `paragraph`, if the conflict is about its text.'),
  after: z.string().optional().describe('Key of the block directly before the conflict.'),
  related: z.array(z.string()).optional().describe('Ids of the other pages involved.'),
  markdown: z
    .string()
    .optional()
    .describe(
      'With `format=markdown`: the Markdown of the change request, of the common ancestor and of the space, between conflict markers as Git writes them. Absent if the conflict is not about text.',
    ),
  pending: z.boolean().describe('True until the change request is updated from the space.'),
};

/** Only the outermost level is checked: nodes nest as deeply as authors wrote them. */
const Value = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ])
  .meta({ id: 'ConflictValue', description: 'The value of a field on one side; null if it has none.' });
const WholeRecord = z.record(z.string(), z.unknown()).nullable();
const Blocks = z
  .array(
    declaredAs<BlockNode>(
      z.looseObject({ object: z.string().describe('The kind of node.') }),
      'BlockNode',
      DOCUMENT_MODULE,
    ),
  )
  .nullable();
const Variable = z.union([z.string(), z.number(), z.boolean()]).nullable();

/** A conflict over values of one type. */
const conflictOf = <Kind extends Conflict['kind'], Side extends z.ZodType>(
  kinds: readonly Kind[],
  side: Side,
) =>
  z.object({
    ...common,
    kind: z.enum(kinds).describe('What both sides changed.'),
    base: side.describe('The value in the common ancestor; null if it had none.'),
    ours: side.describe('The value in the change request; null if it has none.'),
    theirs: side.describe('The value in the space; null if it has none.'),
  });

/** The public object of a conflict between a change request and its space. */
export const ConflictObject = z
  .discriminatedUnion('kind', [
    conflictOf(['page-field', 'file-field', 'reusable-content-field', 'document-block'], Value),
    conflictOf(['page-placement', 'page-deleted', 'file-deleted', 'reusable-content-deleted'], WholeRecord),
    conflictOf(['document-blocks'], Blocks),
    conflictOf(['variable'], Variable),
  ])
  .meta({
    id: 'ChangeRequestConflict',
    description:
      'A place that both a change request and its space have changed; `kind` determines the type of the values.',
  });

/** Stored fields that are not part of the public object. */
const INTERNAL = new Set(['position', 'git', 'importKey', 'linkTitle', 'summaryTitle', 'computedSeed']);

/** The value of a field, or a whole record, on one side. */
function presentVersion(value: Json, field: string | undefined): Json {
  if (field !== undefined) return presentPageField(field, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value as Record<string, Json>).filter(([name]) => !INTERNAL.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, presentPageField(name, inner)]));
}

interface ConflictView {
  /** Titles of pages and reusable contents and names of files, by id. */
  titles: ReadonlyMap<string, string>;
  pending: boolean;
  markdown?: string | undefined;
}

export const presentConflict = (
  conflict: Conflict,
  { titles, pending, markdown }: ConflictView,
): z.infer<typeof ConflictObject> => {
  const { id, kind, page, file, reusableContent, variable, field, block, blockType, after, related } =
    conflict;
  const titled = (name: string | undefined) =>
    name === undefined ? undefined : { id: name, title: titles.get(name) };
  // Versions of text are lists of nodes; of records, only public fields are shown.
  const isDocument = kind === 'document-block' || kind === 'document-blocks' || kind === 'variable';
  const present = (value: Json) => (isDocument ? published(value) : presentVersion(value, field));
  return {
    object: 'conflict',
    id,
    kind,
    page: titled(page),
    file: titled(file),
    reusableContent: titled(reusableContent),
    variable,
    field,
    block,
    blockType,
    after,
    related: related && [...related],
    base: present(conflict.base),
    ours: present(conflict.ours),
    theirs: present(conflict.theirs),
    pending,
    markdown,
    // The kind determines the type of the values.
  } as z.infer<typeof ConflictObject>;
};
