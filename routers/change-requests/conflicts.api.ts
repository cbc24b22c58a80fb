import { z } from 'zod';
import { emojiCode } from '../engine/emoji.ts';
import { published } from '../engine/markdown/published/published.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { Json } from '../engine/store/canonical.ts';

const KINDS = [
  'page-field',
  'page-placement',
  'page-deleted',
  'document-block',
  'document-blocks',
  'file-field',
  'file-deleted',
  'reusable-content-field',
  'reusable-content-deleted',
  'variable',
] as const satisfies Conflict['kind'][];

const Titled = z.object({ id: z.string(), title: z.string().optional() });

/** The public object of a conflict between a change request and its space. */
export const ConflictObject = z
  .object({
    object: z.literal('conflict'),
    id: z.string().describe('Stable: a conflict at the same place has the same id in every merge.'),
    kind: z.enum(KINDS),
    page: Titled.optional(),
    file: Titled.optional(),
    reusableContent: Titled.optional(),
    variable: z.string().optional(),
    field: z
      .string()
      .optional()
      .describe(
        'The field of a page, file or block that both sides changed; `cycle` or `depth` if the moves of both sides together would nest pages in each other, or too deeply.',
      ),
    block: z.string().optional().describe('Key of the block, or of the parent of the conflicting blocks.'),
    after: z.string().optional().describe('Key of the block directly before the conflict.'),
    related: z.array(z.string()).optional().describe('Ids of the other pages involved.'),
    base: z.unknown().describe('The value in the common ancestor; null if it had none.'),
    ours: z.unknown().describe('The value in the change request.'),
    theirs: z.unknown().describe('The value in the space.'),
    pending: z.boolean().describe('True until the change request is updated from the space.'),
  })
  .meta({ id: 'ChangeRequestConflict' });

/** Stored fields that are not part of the public object. */
const INTERNAL = new Set(['position', 'git', 'importKey', 'linkTitle', 'summaryTitle', 'computedSeed']);

/** The value of a field, or a whole record, on one side. */
function presentVersion(value: Json, field: string | undefined): Json {
  if (typeof value === 'string') return field === 'emoji' ? emojiCode(value) : value;
  if (field !== undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const { emoji, ...fields } = value as Record<string, Json>;
  return Object.fromEntries([
    ...Object.entries(fields).filter(([name]) => !INTERNAL.has(name)),
    ...(typeof emoji === 'string' ? [['emoji', emojiCode(emoji)]] : []),
  ]);
}

interface ConflictView {
  /** Titles of pages and reusable contents and names of files, by id. */
  titles: ReadonlyMap<string, string>;
  pending: boolean;
}

export const presentConflict = (
  conflict: Conflict,
  { titles, pending }: ConflictView,
): z.infer<typeof ConflictObject> => {
  const { id, kind, page, file, reusableContent, variable, field, block, after, related } = conflict;
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
    after,
    related: related && [...related],
    base: present(conflict.base),
    ours: present(conflict.ours),
    theirs: present(conflict.theirs),
    pending,
  };
};
