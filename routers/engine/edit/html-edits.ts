/**
 * Writes raw HTML of which parts were edited, moved, added or deleted: in its source, of which all else stays as it is, or else
 * in blocks of their own, with the comments and wrappers of the source between them.
 */

import type { Block, ContentRef } from '../document/document.ts';
import { defaultHref } from '../document/refs.ts';
import { blocksOf, leafText, trimBlankLines } from '../markdown/nodes.ts';
import { refsByUrl } from '../markdown/parse/raw.ts';
import { applyHtmlChange } from '../markdown/source/html-change.ts';
import { leftOvers, unseenIn } from '../markdown/source/html-tokens.ts';
import { readStable } from '../markdown/source/stable.ts';
import { nodeWriter } from '../markdown/write/serialize-document.ts';
import { writeAsHtml } from '../markdown/write/serialize-html.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';
import { applyCodeChange } from './html-code.ts';
import type { PublishedBlock } from './html-pairs.ts';
import { type HtmlSource, type Publish, publishedBlocks } from './html-parts.ts';
import type { HtmlPiece, HtmlRun, SentPiece } from './html-runs.ts';

interface Editing {
  publish: Publish;
  /** The sent document as it is published. */
  sent: ReadonlyMap<string, PublishedBlock>;
  /** Restores a block that becomes a block of its own. */
  restore: (block: Block) => Block;
}

/** How the blocks of a run are written in its source. */
interface Style {
  /** Whether edited parts are written anew, after the comments in them; otherwise only their differences are. */
  isRewritten: boolean;
  /** Whether what is inserted stands right before the next part; otherwise it stands right after the one before. */
  isLate: boolean;
}

/** From the one that keeps the most of the source to the last resort before blocks of their own. */
const STYLES: readonly Style[] = [
  { isRewritten: false, isLate: false },
  { isRewritten: false, isLate: true },
  { isRewritten: true, isLate: false },
  { isRewritten: true, isLate: true },
];

/** Returns a function that returns the stored blocks for a run. Those that it makes have no keys. */
export function createHtmlRunWriter(editing: Editing): (run: HtmlRun) => Block[] {
  const writers = new Map<HtmlSource, HtmlWriter>();
  return ({ source, pieces }) => {
    const writer = writers.get(source) ?? new HtmlWriter(source, editing);
    writers.set(source, writer);
    return writer.inSource(pieces) ?? writer.inBlocks(pieces);
  };
}

/** Writes the runs of one source. */
class HtmlWriter {
  readonly #source: HtmlSource;
  readonly #editing: Editing;
  readonly #refs: ReadonlyMap<string, ContentRef>;
  readonly #urls: ReadonlyMap<string, string>;

  constructor(source: HtmlSource, editing: Editing) {
    this.#source = source;
    this.#editing = editing;
    this.#refs = refsByUrl(source.raw);
    this.#urls = new Map([...this.#refs].map(([url, ref]) => [canonicalJson(ref as Json), url]));
  }

  /** The blocks of the source with all changes; undefined if they would not be read as what was sent. */
  inSource(pieces: readonly HtmlPiece[]): Block[] | undefined {
    const { html, raw } = this.#source;
    const nodes = pieces.flatMap((piece) => ('node' in piece ? [piece.node] : []));
    const isUnchanged = pieces.every((piece) => 'gap' in piece || this.#isUnchanged(piece));
    const tried = new Set<string>();
    for (const style of STYLES) {
      const text = this.#write(pieces, style);
      if (isUnchanged && text === html) return [raw];
      const read = tried.has(text) ? undefined : this.#read(text, nodes);
      if (read) return read;
      tried.add(text);
    }
    return undefined;
  }

  /** The sent blocks, with unchanged parts in their source where possible, and the rest of the source between them. */
  inBlocks(pieces: readonly HtmlPiece[]): Block[] {
    const result: Block[] = [];
    let unchanged: HtmlPiece[] = [];
    const add = (blocks: readonly Block[]) => {
      for (const block of blocks) result.push(block);
    };
    const endUnchanged = () => {
      const hasParts = unchanged.some((piece) => 'node' in piece);
      const read = hasParts ? this.inSource(unchanged) : undefined;
      add(read ?? unchanged.flatMap((piece) => this.#alone(piece)));
      unchanged = [];
    };
    for (const piece of pieces) {
      if ('gap' in piece || (!piece.isMoved && this.#isUnchanged(piece))) {
        unchanged.push(piece);
        continue;
      }
      endUnchanged();
      add(this.#alone(piece));
    }
    endUnchanged();
    return result;
  }

  /** The blocks of one piece: a part in its source if it can stand there by itself, else after the comments in its source. */
  #alone(piece: HtmlPiece): Block[] {
    if ('gap' in piece) return this.#unseenBlocks(piece.gap);
    const { part, node } = piece;
    if (!part) return [this.#editing.restore(node)];
    const inSource = this.inSource([piece]);
    if (inSource) return inSource;
    const comments = this.#source.isCode ? '' : leftOvers(this.#sourceOf(piece));
    return [...this.#unseenBlocks(comments), ...(this.#asElement(node) ?? [this.#editing.restore(node)])];
  }

  /** A part as an element by itself, if its Markdown would be read as something else, as a paragraph of one image is. */
  #asElement(node: Block): Block[] | undefined {
    const sent = this.#sentBlock(node);
    const isKept = this.#read(nodeWriter(undefined)(sent), [node]) !== undefined;
    return isKept ? undefined : this.#read(this.#toHtml(sent), [node]);
  }

  /** Blocks of source that belongs to no block, of which readers see nothing. */
  #unseenBlocks(gap: string): Block[] {
    const unseen = unseenIn(gap);
    for (const text of [gap.trim(), unseen.join('\n')]) {
      const read = text === '' ? [] : this.#read(text, []);
      if (read?.every(({ type }) => type === 'markdown')) return read;
    }
    return unseen.flatMap((text) => this.#read(text, []) ?? []);
  }

  #write(pieces: readonly HtmlPiece[], { isRewritten, isLate }: Style): string {
    const text = new HtmlText();
    let waiting: string[] = [];
    const endWaiting = () => {
      for (const html of waiting) text.addOnOwnLine(html);
      waiting = [];
    };
    for (const piece of pieces) {
      if ('gap' in piece) {
        text.add(piece.gap);
        continue;
      }
      const html = this.#writePiece(piece, isRewritten);
      const isInserted = piece.part === undefined || piece.isMoved === true;
      if (isInserted && (isLate || text.isEmpty)) waiting.push(html);
      else if (isInserted) text.addOnOwnLine(html);
      else if (waiting.length === 0) text.add(html);
      else {
        endWaiting();
        text.addOnOwnLine(html);
      }
    }
    endWaiting();
    return text.toString();
  }

  #writePiece(piece: SentPiece, isRewritten: boolean): string {
    const { part, node } = piece;
    const sent = this.#sentBlock(node);
    if (!part) return this.#toHtml(sent);
    const source = this.#sourceOf(piece);
    if (this.#isUnchanged(piece) && !(piece.isMoved && isRewritten)) return source;
    if (this.#source.isCode) return linesOf(sent).join('\n');
    if (isRewritten) return leftOvers(source) + this.#toHtml(sent);
    const code =
      sent.type === 'code' ? applyCodeChange(source, linesOf(part.block), linesOf(sent)) : undefined;
    return code ?? applyHtmlChange(source, this.#toHtml(part.block), this.#toHtml(sent));
  }

  #toHtml(block: Block): string {
    return writeAsHtml(
      block,
      (ref) => this.#urls.get(canonicalJson(ref as unknown as Json)) ?? defaultHref(ref),
    );
  }

  #sourceOf({ part }: SentPiece): string {
    return part ? this.#source.html.slice(part.start, part.end) : '';
  }

  #isUnchanged({ part, node }: SentPiece): boolean {
    return part?.fingerprint === this.#editing.sent.get(node.key ?? '')?.fingerprint;
  }

  #sentBlock = (node: Block): Block => this.#editing.sent.get(node.key ?? '')?.block ?? node;

  /** The blocks of a text, if readers see the sent blocks in them. */
  #read(text: string, nodes: readonly Block[]): Block[] | undefined {
    const { document } = readStable(text, (url) => this.#refs.get(url));
    const { blocks, fingerprints } = publishedBlocks(document.nodes, this.#editing.publish);
    const seen = fingerprints.filter((_, index) => blocks[index]?.type !== 'markdown');
    const wanted = nodes.flatMap((node) => {
      const sent = this.#editing.sent.get(node.key ?? '');
      return sent?.block.type === 'markdown' ? [] : [sent?.fingerprint];
    });
    const isSame =
      seen.length === wanted.length && seen.every((fingerprint, index) => fingerprint === wanted[index]);
    return isSame ? document.nodes : undefined;
  }
}

const linesOf = (code: Block): string[] => blocksOf(code.nodes).map(({ nodes }) => leafText(nodes));

/** HTML that is put together, without blank lines around it. */
class HtmlText {
  readonly #pieces: string[] = [];

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  add(html: string): void {
    if (html !== '') this.#pieces.push(html);
  }

  addOnOwnLine(html: string): void {
    if (html !== '' && !(this.#pieces.at(-1)?.endsWith('\n') ?? true)) this.add('\n');
    this.add(html);
  }

  toString(): string {
    return trimBlankLines(this.#pieces.join('').replace(/^(?:[ \t]*\n)+/, ''));
  }
}
