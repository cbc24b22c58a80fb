/** Converts TeX formulas, by way of MathML, to a tree from which the typesetter builds its own formulas. */

import katex from 'katex';
import { type HtmlElement, type HtmlNode, parseHtml } from '../markdown/html/html.ts';
import { cleanText } from './text.ts';

export type MathNode =
  | { k: 'row'; c: MathNode[] }
  /** A symbol, with its style if it is not the default. */
  | { k: 'sym'; s: string; v?: string }
  | { k: 'op' | 'text' | 'num'; s: string }
  | { k: 'frac' | 'stack'; c: [MathNode, MathNode] }
  | { k: 'root'; c: MathNode; index?: MathNode }
  | { k: 'attach'; c: MathNode; t?: MathNode; b?: MathNode; limits: boolean }
  | { k: 'accent'; c: MathNode; s: string }
  | { k: 'over' | 'under'; c: MathNode; s: 'brace' | 'line' | 'bracket' | 'arrow' }
  | { k: 'fenced'; c: MathNode[] }
  | MathTable
  | { k: 'space'; w: number };

interface MathTable {
  k: 'table';
  rows: MathNode[][];
  align: string[];
  /** Whether each two columns are the sides of equations, without a space between them, as in `aligned`. */
  isEquations: boolean;
  /** Whether it is the whole formula, and a block of its own. */
  isOuter: boolean;
}

/** Maximum length of a formula, in characters. */
const MAX_FORMULA = 10_000;

/** Maximum number of elements in a formula, which macros can multiply. */
const MAX_ELEMENTS = 5000;

/** Maximum nesting of a formula that the typesetter can handle. */
const MAX_DEPTH = 14;

/** Converts a formula; undefined if it is invalid, too large or too deep: it is then shown as source. */
export function mathOf(formula: string, { isBlock }: { isBlock: boolean }): MathNode | undefined {
  if (formula.length > MAX_FORMULA) return undefined;
  try {
    const html = katex.renderToString(cleanText(formula), {
      output: 'mathml',
      displayMode: isBlock,
      throwOnError: true,
      strict: false,
      trust: false,
      maxSize: 10,
      maxExpand: 500,
    });
    // A space is written as an empty element of XML, which HTML does not have.
    const [outer] = parseHtml(html.replace(/(<mspace[^<>]*)\/>/g, '$1></mspace>')) ?? [];
    const root = find(find(outer, 'semantics'), undefined);
    return root && readNode(root, { left: MAX_ELEMENTS }, 0, isBlock);
  } catch (error) {
    // The error is of no use to readers, who see the source of the formula instead.
    if (error instanceof katex.ParseError || error instanceof RangeError || error instanceof TooLarge)
      return undefined;
    throw error;
  }
}

class TooLarge extends Error {}

/** Finds the first descendant element with a tag name, or the first child element if no name is given. */
function find(node: HtmlNode | undefined, tag: string | undefined): HtmlElement | undefined {
  if (!node || node.tag === undefined) return undefined;
  for (const child of node.children) {
    if (child.tag === undefined) continue;
    if (tag === undefined || child.tag === tag) return child;
    const inside = find(child, tag);
    if (inside) return inside;
  }
  return undefined;
}

const elements = ({ children }: HtmlElement): HtmlElement[] =>
  children.filter((child): child is HtmlElement => child.tag !== undefined);

const textIn = ({ children }: HtmlElement): string =>
  children.map((child) => (child.tag === undefined ? child.text : textIn(child))).join('');

const STYLES: ReadonlySet<string> = new Set([
  'normal',
  'bold',
  'italic',
  'bold-italic',
  'double-struck',
  'script',
  'fraktur',
  'sans-serif',
  'monospace',
]);

/** Stretched characters above and below. */
const OVER: Readonly<Record<string, 'brace' | 'line' | 'bracket' | 'arrow'>> = {
  '⏞': 'brace',
  '⏟': 'brace',
  '‾': 'line',
  '¯': 'line',
  _: 'line',
  '―': 'line',
  '⎴': 'bracket',
  '⎵': 'bracket',
};

/** Invisible operators of MathML, such as between a function and its argument. */
const INVISIBLE = /[\u2061-\u2064]/g;

function readNode(element: HtmlElement, budget: { left: number }, depth: number, isOuter = false): MathNode {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) throw new TooLarge();
  const inside = elements(element);
  const at = (index: number): MathNode => {
    const child = inside[index];
    return child ? readNode(child, budget, depth + 1) : { k: 'row', c: [] };
  };
  switch (element.tag) {
    case 'mi':
    case 'mo':
      return readSymbol(element);
    case 'mn':
      return { k: 'num', s: textIn(element) };
    case 'mtext':
    case 'ms':
      return { k: 'text', s: textIn(element) };
    case 'mspace':
      return { k: 'space', w: emOf(element.attributes.get('width')) };
    case 'mfrac':
      return {
        k: element.attributes.get('linethickness')?.startsWith('0') ? 'stack' : 'frac',
        c: [at(0), at(1)],
      };
    case 'msqrt':
      return { k: 'root', c: rowOf(inside, budget, depth) };
    case 'mroot':
      return { k: 'root', c: at(0), index: at(1) };
    case 'msup':
      return { k: 'attach', c: at(0), t: at(1), limits: false };
    case 'msub':
      return { k: 'attach', c: at(0), b: at(1), limits: false };
    case 'msubsup':
      return { k: 'attach', c: at(0), b: at(1), t: at(2), limits: false };
    case 'munderover':
      return { k: 'attach', c: at(0), b: at(1), t: at(2), limits: true };
    case 'mover':
    case 'munder':
      return readStacked(element.tag, inside, at, element.attributes.get('accent') === 'true');
    case 'mtable':
      return readTable(element, budget, depth, isOuter);
    case 'mphantom':
      return { k: 'space', w: 1 };
    default:
      return rowOf(inside, budget, depth, isOuter);
  }
}

function readSymbol(element: HtmlElement): MathNode {
  const s = textIn(element).replace(INVISIBLE, '').trim();
  if (s === '') return { k: 'row', c: [] };
  const style = element.attributes.get('mathvariant');
  if ([...s].length > 1) return { k: 'op', s };
  return { k: 'sym', s, ...(style !== undefined && STYLES.has(style) && { v: style }) };
}

function readStacked(
  tag: string,
  inside: readonly HtmlElement[],
  at: (index: number) => MathNode,
  isAccent: boolean,
): MathNode {
  const mark = inside[1]?.tag === 'mo' ? textIn(inside[1]).trim() : '';
  const stretched = Object.hasOwn(OVER, mark) ? OVER[mark] : undefined;
  if (stretched) return { k: tag === 'mover' ? 'over' : 'under', c: at(0), s: stretched };
  if (isAccent && [...mark].length === 1 && tag === 'mover') return { k: 'accent', c: at(0), s: mark };
  return tag === 'mover'
    ? { k: 'attach', c: at(0), t: at(1), limits: true }
    : { k: 'attach', c: at(0), b: at(1), limits: true };
}

const isFence = (element: HtmlElement | undefined): boolean =>
  element?.tag === 'mo' && element.attributes.get('fence') === 'true';

/** Reads a row; if it starts or ends with a bracket, its brackets grow with the content between them. */
function rowOf(
  inside: readonly HtmlElement[],
  budget: { left: number },
  depth: number,
  isOuter = false,
): MathNode {
  if (inside.length === 1 && inside[0]) return readNode(inside[0], budget, depth + 1, isOuter);
  const c = inside.map((child) => readNode(child, budget, depth + 1));
  const isFenced = inside.length > 1 && (isFence(inside[0]) || isFence(inside.at(-1)));
  return { k: isFenced ? 'fenced' : 'row', c };
}

/** Classes of cells in which browsers place the number of an equation. They are not counted in `columnalign`. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['mtr-glue', 'mml-eqn-num']);

function readTable(
  element: HtmlElement,
  budget: { left: number },
  depth: number,
  isOuter: boolean,
): MathNode {
  const align = (element.attributes.get('columnalign') ?? '').split(' ').filter(Boolean);
  const isEquations = align[0] === 'right' && /^0em\b/.test(element.attributes.get('columnspacing') ?? '');
  const rows = elements(element).map((row) =>
    elements(row)
      .filter((cell) => !PLACEHOLDERS.has(cell.attributes.get('class') ?? ''))
      .map((cell) => rowOf(elements(cell), budget, depth + 1)),
  );
  return { k: 'table', rows, align, isEquations, isOuter };
}

const emOf = (width: string | undefined): number => {
  const value = Number.parseFloat(width ?? '');
  return Number.isFinite(value) ? Math.max(-2, Math.min(10, value)) : 0;
};
