import type { Block, BlockNode } from '../document/document.ts';
import type { Spec } from '../specs/spec-reader.ts';
import type { InlineOptions, Layout } from './inlines.ts';
import type { Node } from './nodes.ts';

/** Levels of blocks in blocks that the typesetter takes with room to spare; deeper ones stand at this level. */
export const MAX_DEPTH = 8;

export const TOO_DEEP = 'What follows is nested too deeply to be shown as such.';

/** How blocks are laid out where they stand. */
export interface Place {
  depth: number;
  /** Longest word that fits. */
  whole?: number | undefined;
  isNote?: boolean;
}

export interface BlockLayout extends Layout {
  /** The anchor of a heading, as a place in the book; undefined if there is one already. */
  placeOf(anchor: string): string | undefined;
  /** The direction of the book. */
  direction: 'rtl' | 'ltr';
  /** Lays out the blocks in another one. */
  layOut(nodes: readonly BlockNode[], place: Place): Node[];
  /** The OpenAPI document of a hash, if the book has it. */
  specOf(hash: string): Spec | undefined;
  words: ApiWords;
}

/** What stands beside the parts of an operation, in the language of the content. */
interface ApiWords {
  parameters: Record<'path' | 'query' | 'header' | 'cookie', string>;
  body: string;
  responses: string;
  required: string;
  deprecated: string;
  defaultValue: string;
  allowedValues: string;
}

/** How inlines are laid out there. */
export const optionsIn = ({ whole, isNote }: Place): InlineOptions => ({ whole, ...(isNote && { isNote }) });

/** What a fragment of a block holds. */
export const fragmentOf = ({ fragments = [] }: Block, name: string): readonly BlockNode[] =>
  fragments.find(({ fragment, type }) => (fragment ?? type) === name)?.nodes ?? [];
