import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { type Html, html } from '../../http/html.ts';
import { icon, uiIcon } from '../icons.ts';
import { drawInlines } from './inlines.ts';
import type { CodeToken, Drawing } from './view.ts';

/** Lines of a block that is folded. */
const FOLDED_LINES = 12;

const isLine = (node: BlockNode): node is Block => node.object === 'block';

const textOf = (nodes: readonly BlockNode[] = []): string =>
  nodes
    .map((node) =>
      node.object === 'text' ? node.leaves.map(({ text }) => text).join('') : textOf(node.nodes ?? []),
    )
    .join('');

/** The lines of a block of code, as text. */
export const codeLines = ({ nodes = [] }: Block): string[] =>
  nodes.filter(isLine).map((line) => textOf(line.nodes));

/** The language of a block, as authors name it. */
export const syntaxOf = ({ data }: Block): string =>
  typeof data?.syntax === 'string' ? data.syntax.toLowerCase().slice(0, 40) : '';

const tokenized = (tokens: readonly CodeToken[]): Html[] =>
  tokens.map(({ c, t }) => (c === '' ? html`${t}` : html`<span class="${c}">${t}</span>`));

/** A block of code, with its title, numbers, colours, and a way to copy it. */
export function codeBlock(block: Block, drawing: Drawing): Html {
  const { data = {}, nodes = [] } = block;
  const lines = nodes.filter(isLine);
  const syntax = syntaxOf(block);
  const tokens = drawing.tokens(syntax, codeLines(block).join('\n'));
  const drawn = lines.map((line, index) => {
    const isPlain = (line.nodes ?? []).every(({ object }) => object === 'text');
    const inner = isPlain && tokens?.[index] ? tokenized(tokens[index]) : drawInlines(line.nodes, drawing);
    return html`<span class="line${line.data?.highlighted === true && ' marked'}">${inner}\n</span>`;
  });
  const { title, lineNumbers, overflow, expandable } = data;
  const isFolded = expandable === true && lines.length > FOLDED_LINES;
  const classes = [
    'code',
    lineNumbers === true || lineNumbers === 'true' ? 'numbered' : '',
    overflow === 'wrap' ? 'wrapped' : '',
    isFolded ? 'folded' : '',
  ];
  const name = typeof title === 'string' && title !== '' ? title : '';
  const code = html`<pre tabindex="0"${syntax !== '' && html` data-syntax="${syntax}"`}><code>${drawn}</code></pre>`;
  return html`<figure class="${classes.filter(Boolean).join(' ')}">${name !== '' && html`<figcaption>${name}</figcaption>`}${code}<button type="button" class="copy" hidden aria-label="${drawing.texts.copyCode}">${uiIcon('copy')}</button>${
    isFolded && html`<button type="button" class="unfold" hidden>${drawing.texts.showAll}</button>`
  }</figure>\n`;
}

/** A prompt for a language model: code with what it is for. */
export function promptBlock({ data = {}, nodes = [] }: Block, drawing: Drawing): Html {
  const named = typeof data.icon === 'string' ? icon(data.icon) : undefined;
  return html`<div class="prompt"><p class="prompt-title">${named}${String(data.description ?? '')}</p>${nodes.filter(isLine).map((node) => codeBlock(node, drawing))}</div>\n`;
}
