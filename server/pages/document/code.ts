import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { type Html, html } from '../../http/html.ts';
import { icon, uiIcon } from '../icons.ts';
import { renderInlines } from './inlines.ts';
import type { CodeToken, RenderContext } from './render-context.ts';

/** Expandable blocks with more lines are folded. */
const FOLDED_LINES = 12;

const isLine = (node: BlockNode): node is Block => node.object === 'block';

const textOf = (nodes: readonly BlockNode[] = []): string =>
  nodes
    .map((node) =>
      node.object === 'text' ? node.leaves.map(({ text }) => text).join('') : textOf(node.nodes ?? []),
    )
    .join('');

/** The lines of a code block, as plain text. */
export const codeLines = ({ nodes = [] }: Block): string[] =>
  nodes.filter(isLine).map((line) => textOf(line.nodes));

/** The language of a code block, as its author wrote it. */
export const syntaxOf = ({ data }: Block): string =>
  typeof data?.syntax === 'string' ? data.syntax.toLowerCase().slice(0, 40) : '';

const renderTokens = (tokens: readonly CodeToken[]): Html[] =>
  tokens.map(({ c, t }) => (c === '' ? html`${t}` : html`<span class="${c}">${t}</span>`));

/** Renders a code block with its title, line numbers, highlighting and a copy button. */
export function codeBlock(block: Block, context: RenderContext): Html {
  const { data = {}, nodes = [] } = block;
  const lines = nodes.filter(isLine);
  const syntax = syntaxOf(block);
  const tokens = context.tokens(syntax, codeLines(block).join('\n'));
  const rendered = lines.map((line, index) => {
    const isPlain = (line.nodes ?? []).every(({ object }) => object === 'text');
    const inner =
      isPlain && tokens?.[index] ? renderTokens(tokens[index]) : renderInlines(line.nodes, context);
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
  const code = html`<pre tabindex="0"${syntax !== '' && html` data-syntax="${syntax}"`}><code>${rendered}</code></pre>`;
  return html`<figure class="${classes.filter(Boolean).join(' ')}">${name !== '' && html`<figcaption>${name}</figcaption>`}${code}<button type="button" class="copy" hidden aria-label="${context.texts.copyCode}">${uiIcon('copy')}</button>${
    isFolded && html`<button type="button" class="unfold" hidden>${context.texts.showAll}</button>`
  }</figure>\n`;
}

/** Renders a prompt for a language model: its description and the prompt as code. */
export function promptBlock({ data = {}, nodes = [] }: Block, context: RenderContext): Html {
  const promptIcon = typeof data.icon === 'string' ? icon(data.icon) : undefined;
  return html`<div class="prompt"><p class="prompt-title">${promptIcon}${String(data.description ?? '')}</p>${nodes.filter(isLine).map((node) => codeBlock(node, context))}</div>\n`;
}
