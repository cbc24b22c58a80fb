import createMarkdownIt, { type MarkdownIt, type Token as RuleToken } from 'markdown-it';
import { installBlockRules, MAX_LEVEL } from './block-rules.ts';
import { type CharClass, charClass, installFlanking } from './flanking.ts';
import { installInlineRules } from './inline-rules.ts';
import { installMkdocsRules } from './mkdocs-rules.ts';
import { installPlainTokens } from './plain-tokens.ts';
import { installTagIndents } from './tag-indents.ts';

/** A token as readers see it. They cannot change it, because a source may be read twice from the same tokens. */
export type Token = Readonly<
  Pick<RuleToken, 'type' | 'tag' | 'nesting' | 'level' | 'content' | 'markup' | 'info' | 'meta' | 'attrGet'>
> & {
  readonly map: readonly [number, number] | null;
  readonly children: readonly Token[] | null;
};

/** State shared in one parse: link definitions and the labels of footnotes that have a body. */
export type ParserEnv = {
  references?: Record<string, { href: string; title: string }>;
  footnotes?: Set<string>;
};

const markdownIt = createParser();

function createParser(): MarkdownIt {
  const md = new createMarkdownIt({ html: true, maxNesting: MAX_LEVEL + 20 });
  // URLs are kept as written; the renderer decides which are safe.
  md.normalizeLink = (url) => url;
  md.normalizeLinkText = (url) => url;
  md.validateLink = () => true;
  installFlanking(md);
  installPlainTokens(md);
  installTagIndents(md);
  installBlockRules(md);
  installMkdocsRules(md);
  installInlineRules(md);
  return md;
}

/** The block tokens of a source with `\n` line ends. Inline content stays unparsed. */
export function tokenizeBlocks(source: string, env: ParserEnv): readonly Token[] {
  const tokens: RuleToken[] = [];
  markdownIt.block.parse(source, markdownIt, env, tokens);
  return tokens;
}

/** The inline tokens of one paragraph, heading or cell. */
export function tokenizeInline(content: string, env: ParserEnv): readonly Token[] {
  const tokens: RuleToken[] = [];
  markdownIt.inline.parse(content, markdownIt, env, tokens);
  return tokens;
}

export const { normalizeReference, unescapeAll } = markdownIt.utils;
export const { parseLinkDestination, parseLinkTitle } = markdownIt.helpers;

/** How the rules of emphasis see the character next to a delimiter; undefined at either end of the text. */
export const classOf = (char: string | undefined, delimiter: string): CharClass =>
  charClass(char, delimiter, markdownIt.utils);
