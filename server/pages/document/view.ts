import type { Block, BlockNode, ContentRef } from '../../../routers/engine/document/document.ts';
import type { Html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';

/** Where a reference leads, for one reader. */
export interface Target {
  /** Undefined if it leads nowhere that the reader may see. */
  href?: string | undefined;
  title: string;
  description?: string | undefined;
  icon?: Html | undefined;
  /** Whether it is outside of the site. */
  isExternal?: boolean;
  file?: { contentType: string; size: number; width?: number | undefined; height?: number | undefined };
}

/** One heading of the outline of a page. */
export interface OutlineEntry {
  level: 1 | 2;
  anchor: string;
  title: string;
}

export type Embedded =
  | { type: 'link'; title: string; site: string; icon?: string | undefined }
  | { type: 'rich'; title: string; site: string; icon?: string | undefined; html: string };

/** A run of characters of the same kind in code: `c` is a class of the style sheet. */
export interface CodeToken {
  c: string;
  t: string;
}

/** What a document is drawn with: all of it is known before, so that drawing waits for nothing. */
export interface DocumentView {
  texts: Texts;
  /** The language of the interface, for dates. */
  locale: string;
  linksOpen: 'self' | 'blank';
  target(ref: ContentRef): Target;
  /** The tokens of code by line; undefined for code that is not coloured. */
  tokens(syntax: string, code: string): readonly (readonly CodeToken[])[] | undefined;
  /** A formula as MathML; undefined if it cannot be read. */
  formula(tex: string, isBlock: boolean): Html | undefined;
  embed(url: string): Embedded | undefined;
  reusable(ref: ContentRef): readonly BlockNode[] | undefined;
  /** What a block shows of an API; undefined for what is not there. `origins` takes those that its forms send to. */
  api(block: Block, origins: Set<string>): Html | undefined;
}

/** One drawing: what is collected on the way. */
export interface Drawing extends DocumentView {
  /** Draws blocks within an inline. */
  blocks(nodes: readonly BlockNode[]): Html[];
  outline: OutlineEntry[];
  /** Notes that are shown on demand. */
  notes: Html[];
  /** Rules of the page's own style sheet: attributes with styles are not allowed. */
  rules: Set<string>;
  /** What its forms send requests to. */
  origins: Set<string>;
  /** Whether the first image is drawn. */
  hasImage: boolean;
  /** Whether headings belong to the outline: not those within tabs and the like. */
  isOutlined: boolean;
  /** How many reusable contents are open, which may contain each other. */
  depth: number;
  /** Numbers for ids in the page. */
  count: number;
}

/** An address of an image or a film as it is shown: one that is not in the content, and has no address of its own, is nowhere. */
export function safeSource(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? address : undefined;
}
