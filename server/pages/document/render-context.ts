import type { Block, BlockNode, ContentRef } from '../../../routers/engine/document/document.ts';
import type { Html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';

/** What a reference leads to, for one reader. */
export interface Target {
  /** Undefined if there is nothing to open, such as for a group without documents. */
  href?: string | undefined;
  title: string;
  description?: string | undefined;
  icon?: Html | undefined;
  /** Whether it is outside the site. */
  isExternal?: boolean;
  file?: { contentType: string; size: number; width?: number | undefined; height?: number | undefined };
}

/** A heading in the outline of a page. */
export interface OutlineEntry {
  level: 1 | 2;
  anchor: string;
  title: string;
}

export type Embedded =
  | { type: 'link'; title: string; site: string; icon?: string | undefined }
  | { type: 'rich'; title: string; site: string; icon?: string | undefined; html: string };

/** A token of highlighted code: `c` is its class in the style sheet, `t` its text. */
export interface CodeToken {
  c: string;
  t: string;
}

/** How a page, a block or the like differs from the revision that a change request is compared with. */
export type ChangeKind = 'added' | 'changed' | 'removed';

/** A block, in the preview of a change request with how it differs. */
export interface DiffBlock {
  node: BlockNode;
  kind?: ChangeKind;
}

/** Everything that rendering a document needs, loaded beforehand, so that rendering is synchronous. */
export interface ResolvedResources {
  texts: Texts;
  /** The language of the content, for dates and numbers. */
  locale: string;
  linksOpen: 'self' | 'blank';
  /** Undefined if the reader may not see it, or it does not exist. */
  target(ref: ContentRef): Target | undefined;
  /** The tokens of code by line; undefined for code that is not highlighted. */
  tokens(syntax: string, code: string): readonly (readonly CodeToken[])[] | undefined;
  /** A formula as MathML; undefined if it is invalid. */
  formula(tex: string, isBlock: boolean): Html | undefined;
  embed(url: string): Embedded | undefined;
  /** The blocks of a reusable content, in the preview of a change request with how they differ. */
  reusable(ref: ContentRef): readonly DiffBlock[] | undefined;
  /**
   * Renders an API block; undefined if the API is not available. Adds the origins that its forms send to to `origins`.
   * @param isBrief whether only the method and the path are rendered
   */
  api(block: Block, origins: Set<string>, isBrief: boolean): Html | undefined;
}

/** Maximum number of characters that reusable contents and API blocks add to a page. */
export const MAX_ADDED = 4_000_000;

/** The state of rendering one page. */
export interface RenderContext extends ResolvedResources {
  /** Renders blocks within an inline. */
  blocks(nodes: readonly BlockNode[]): Html[];
  outline: OutlineEntry[];
  /** The anchor that GitBook derives from the title of the next heading or expandable, if no other tool would derive the same. */
  gitbookAnchor(title: string): string | undefined;
  /** Annotations, which are shown on demand. */
  notes: Html[];
  /** CSS rules for the inline style sheet of the page, whose policy forbids style attributes. */
  rules: Set<string>;
  /** Origins that the forms of the page send requests to. */
  origins: Set<string>;
  /** Whether an image has been rendered. */
  hasImage: boolean;
  /** Whether headings belong to the outline; those within tabs and the like do not. */
  isOutlined: boolean;
  /** Current depth of reusable contents within each other. */
  depth: number;
  /** How many characters reusable contents and API blocks may still add: they are much longer than what refers to them. */
  remaining: number;
  /** Counter for unique ids in the page. */
  count: number;
}

/** The address of an image or a video if it is an absolute http or https URL; otherwise undefined. */
export function safeSource(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? address : undefined;
}
