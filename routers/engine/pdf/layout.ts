import type { Block, BlockNode } from '../document/document.ts';
import type { ConstraintName } from '../specs/constraints.ts';
import type { Spec } from '../specs/spec-reader.ts';
import type { InlineOptions, PageLayout } from './inlines.ts';
import type { Node } from './nodes.ts';

/** Maximum nesting of blocks, well below what the typesetter can handle; deeper blocks are laid out at this level. */
export const MAX_DEPTH = 8;

/** The context in which blocks are laid out. */
export interface BlockContext {
  depth: number;
  /** Maximum length of a word before it may break. */
  maxWord?: number | undefined;
  isNote?: boolean;
}

export interface BlockLayout extends PageLayout {
  /** Registers the anchor of a heading and returns it as a place in the book; undefined if it is already taken. */
  claimAnchor(anchor: string): string | undefined;
  /** The direction of the book. */
  direction: 'rtl' | 'ltr';
  /** Lays out the blocks inside another one. */
  layOut(nodes: readonly BlockNode[], context: BlockContext): Node[];
  /** Returns an OpenAPI document by hash, if the book has it. */
  specOf(hash: string): Spec | undefined;
  texts: ApiTexts;
}

/** The texts that name the parts of an operation, in the language of the content. */
export interface ApiTexts {
  parameters: Record<'path' | 'query' | 'header' | 'cookie', string>;
  body: string;
  responses: string;
  headers: string;
  callbacks: string;
  required: string;
  deprecated: string;
  defaultValue: string;
  allowedValues: string;
  constraints: Record<ConstraintName, string>;
  eachItem: string;
}

/** The options for inlines in a block. */
export const inlineOptions = ({ maxWord, isNote }: BlockContext): InlineOptions => ({
  maxWord,
  ...(isNote && { isNote }),
});

/** The nodes of a fragment of a block. */
export const fragmentNodes = ({ fragments = [] }: Block, name: string): readonly BlockNode[] =>
  fragments.find(({ fragment, type }) => (fragment ?? type) === name)?.nodes ?? [];
