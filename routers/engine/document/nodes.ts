/** The nodes of documents as they are stored. */

export const MARK_TYPES = [
  'bold',
  'italic',
  'code',
  'strikethrough',
  'keyboard',
  'color',
  'superscript',
  'subscript',
] as const;
type MarkType = (typeof MARK_TYPES)[number];

/** Free-form properties of a node; the parser of each block type defines them. */
export type Data = Record<string, unknown>;

/** Formatting hints: how a node was spelled in Markdown, if not in the default way. Stored, but never published. */
export type Format = Record<string, unknown>;

export type Mark = { object: 'mark'; type: MarkType; data?: Data };
export type Leaf = { object: 'leaf'; text: string; marks: Mark[] };
export type Text = { object: 'text'; key?: string; leaves: Leaf[] };
export type Inline = {
  object: 'inline';
  type: string;
  key?: string;
  isVoid?: boolean;
  data?: Data;
  format?: Format;
  nodes?: InlineNode[];
  fragments?: Fragment[];
};
export type InlineNode = Inline | Text;
export type Block = {
  object: 'block';
  type: string;
  key?: string;
  isVoid?: boolean;
  data?: Data;
  format?: Format;
  nodes?: BlockNode[];
  fragments?: Fragment[];
  meta?: Data;
};
export type BlockNode = Block | InlineNode;
export type Fragment = {
  object: 'fragment';
  key?: string;
  type?: string;
  fragment?: string;
  nodes: Block[];
};
/** A document. */
export type Document = {
  object: 'document';
  data: { schemaVersion: number; [name: string]: unknown };
  nodes: Block[];
  format?: Format;
};
