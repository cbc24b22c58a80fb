import type { Block, BlockNode } from '../document/document.ts';
import type { Node } from './nodes.ts';
import { breakable, cleanLine, cleanText } from './text.ts';

/** Maximum length of a code block, in characters. */
const MAX_CODE = 200_000;

/** Number of characters that fit in a line of code. */
const CODE_LINE = 86;

/** Lays out a code block. */
export function layOutCode(block: Block): Node[] {
  const data = block.data ?? {};
  const lines = (block.nodes ?? []).filter((node): node is Block => node.object === 'block');
  const highlighted = lines.flatMap((line, index) => (line.data?.highlighted === true ? [index + 1] : []));
  const whole = lines.map((line) => codeText(line.nodes ?? [])).join('\n');
  const text = cleanText(whole).replaceAll('\t', '    ');
  const shown = text.length > MAX_CODE ? text.slice(0, MAX_CODE).toWellFormed() : text;
  const title = typeof data.title === 'string' ? breakable(cleanLine(data.title)) : '';
  const language =
    typeof data.syntax === 'string' && /^[\w+#.-]{1,40}$/.test(data.syntax) ? data.syntax.toLowerCase() : '';
  const made: Node = {
    t: 'code',
    title,
    language,
    text: breakable(shown, CODE_LINE),
    numbers: data.lineNumbers === true,
    highlighted,
  };
  return shown === text
    ? [made]
    : [made, { t: 'note', s: `The code goes on for ${text.length - shown.length} more characters.` }];
}

const codeText = (nodes: readonly BlockNode[]): string =>
  nodes
    .map((node) => {
      if (node.object === 'text') return node.leaves.map((leaf) => leaf.text).join('');
      if (node.object === 'inline' && node.type === 'expression')
        return `{{ ${String(node.data?.expression ?? '')} }}`;
      return codeText(node.nodes ?? []);
    })
    .join('');
