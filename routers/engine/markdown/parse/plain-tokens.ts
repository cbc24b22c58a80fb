import createMarkdownIt, {
  type MarkdownIt,
  type StateBlock,
  type StateInline,
  type Token,
} from 'markdown-it';

/**
 * A token with the fields of markdown-it's own, assigned one by one. The published build of markdown-it 15 defines each
 * of them through a helper for old engines, which takes nearly half of its time.
 */
class PlainToken {
  type: string;
  tag: string;
  nesting: number;
  attrs = null;
  map = null;
  level = 0;
  children = null;
  content = '';
  markup = '';
  info = '';
  meta = null;
  block = false;
  hidden = false;

  constructor(type: string, tag: string, nesting: number) {
    this.type = type;
    this.tag = tag;
    this.nesting = nesting;
  }
}
Object.setPrototypeOf(PlainToken.prototype, createMarkdownIt.Token.prototype);
const PlainTokenOfLibrary = PlainToken as unknown as typeof Token;

/** Makes a parser build plain tokens. Its push method does the same as the library's. */
export function installPlainTokens(md: MarkdownIt): void {
  md.block.State = class extends md.block.State {
    override push(...[type, tag, nesting]: Parameters<StateBlock['push']>): Token {
      const token = new PlainTokenOfLibrary(type, tag, nesting);
      token.block = true;
      if (nesting < 0) this.level -= 1;
      token.level = this.level;
      if (nesting > 0) this.level += 1;
      this.tokens.push(token);
      return token;
    }
  };
  md.inline.State = class extends md.inline.State {
    override pushPending(): Token {
      const token = new PlainTokenOfLibrary('text', '', 0);
      token.content = this.pending;
      token.level = this.pendingLevel;
      this.tokens.push(token);
      this.pending = '';
      return token;
    }

    override push(...[type, tag, nesting]: Parameters<StateInline['push']>): Token {
      if (this.pending) this.pushPending();
      const token = new PlainTokenOfLibrary(type, tag, nesting);
      let meta: StateInline['tokens_meta'][number];
      if (nesting < 0) {
        this.level -= 1;
        this.delimiters = this._prev_delimiters.pop() ?? [];
      }
      token.level = this.level;
      if (nesting > 0) {
        this.level += 1;
        this._prev_delimiters.push(this.delimiters);
        this.delimiters = [];
        meta = { delimiters: this.delimiters };
      }
      this.pendingLevel = this.level;
      this.tokens.push(token);
      this.tokens_meta.push(meta);
      return token;
    }
  };
}
