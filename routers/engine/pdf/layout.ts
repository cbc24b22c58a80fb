import type { Block, BlockNode } from '../document/document.ts';
import type { Spec } from '../specs/spec-reader.ts';
import type { InlineOptions, PageLayout } from './inlines.ts';
import type { Node } from './nodes.ts';

/** Levels of blocks in blocks that the typesetter takes with room to spare; deeper ones stand at this level. */
export const MAX_DEPTH = 8;

export const TOO_DEEP = 'What follows is nested too deeply to be shown as such.';

/** How blocks are laid out where they stand. */
export interface BlockContext {
  depth: number;
  /** Longest word that fits. */
  maxWord?: number | undefined;
  isNote?: boolean;
}

export interface BlockLayout extends PageLayout {
  /** The anchor of a heading, as a place in the book; undefined if there is one already. */
  claimAnchor(anchor: string): string | undefined;
  /** The direction of the book. */
  direction: 'rtl' | 'ltr';
  /** Lays out the blocks in another one. */
  layOut(nodes: readonly BlockNode[], context: BlockContext): Node[];
  /** The OpenAPI document of a hash, if the book has it. */
  specOf(hash: string): Spec | undefined;
  words: ApiLabels;
}

/** What stands beside the parts of an operation, in the language of the content. */
interface ApiLabels {
  parameters: Record<'path' | 'query' | 'header' | 'cookie', string>;
  body: string;
  responses: string;
  required: string;
  deprecated: string;
  defaultValue: string;
  allowedValues: string;
}

/** How inlines are laid out there. */
export const inlineOptions = ({ maxWord, isNote }: BlockContext): InlineOptions => ({
  maxWord,
  ...(isNote && { isNote }),
});

/** What a fragment of a block holds. */
export const fragmentNodes = ({ fragments = [] }: Block, name: string): readonly BlockNode[] =>
  fragments.find(({ fragment, type }) => (fragment ?? type) === name)?.nodes ?? [];
