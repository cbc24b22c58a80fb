import type {
  Block,
  BlockNode,
  Data,
  Document,
  Fragment,
  Leaf,
  Mark,
  Text,
} from '../document/document.api.ts';
import { evaluate, type Inputs, textOf } from './evaluate.ts';
import { type Expression, ExpressionError, namesIn, parseExpression } from './parse.ts';

/**
 * Which expressions to evaluate: all, or those that read nothing but what the content itself says, so that the result
 * is the same for every reader.
 */
export type Evaluation = 'all' | 'deterministic';

/** The inputs that are part of the content. */
const DETERMINISTIC = new Set(['space', 'page']);

/** The value of an expression; undefined as a whole where it is to be left as it stands. */
type Evaluate = (source: unknown) => { value: unknown } | undefined;

/**
 * A copy of a document in which expressions are their values and blocks of a condition are what they hold, or gone.
 * What cannot be evaluated shows nothing, so that a mistake in a condition shows its content to nobody. What does not
 * change is shared with the original.
 */
export function evaluateDocument(document: Document, inputs: Inputs, evaluation: Evaluation): Document {
  const nodes = evaluateBlocks(document.nodes, evaluator(inputs, evaluation)) as Block[];
  return nodes === document.nodes ? document : { ...document, nodes };
}

function evaluator(inputs: Inputs, evaluation: Evaluation): Evaluate {
  const known = new Map<string, { value: unknown } | undefined>();
  return (source) => {
    if (typeof source !== 'string') return undefined;
    if (!known.has(source)) known.set(source, evaluateSource(source, inputs, evaluation));
    return known.get(source);
  };
}

function evaluateSource(
  source: string,
  inputs: Inputs,
  evaluation: Evaluation,
): { value: unknown } | undefined {
  try {
    const expression = parseExpression(source);
    if (evaluation === 'deterministic' && !isDeterministic(expression)) return undefined;
    return { value: evaluate(expression, inputs) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { value: undefined };
  }
}

const isDeterministic = (expression: Expression): boolean => namesIn(expression).isSubsetOf(DETERMINISTIC);

const isCondition = (node: BlockNode): node is Block => node.object === 'block' && node.type === 'if';

function evaluateBlocks(nodes: BlockNode[], evaluateOne: Evaluate): BlockNode[] {
  let changed = false;
  const result: BlockNode[] = [];
  for (const node of nodes) {
    if (isCondition(node)) {
      const outcome = evaluateOne(node.data?.expression);
      if (outcome) {
        changed = true;
        if (outcome.value) result.push(...evaluateBlocks(node.nodes ?? [], evaluateOne));
        continue;
      }
    }
    const next = evaluateNode(node, evaluateOne);
    changed ||= next !== node;
    result.push(next);
  }
  return changed ? joinTexts(result) : nodes;
}

function evaluateNode(node: BlockNode, evaluateOne: Evaluate): BlockNode {
  if (node.object === 'text') return node;
  if (node.object === 'inline' && node.type === 'expression') {
    const outcome = evaluateOne(node.data?.expression);
    return outcome ? asText(outcome.value, node.data) : node;
  }
  const nodes = node.nodes && evaluateBlocks(node.nodes, evaluateOne);
  const fragments = node.fragments && evaluateFragments(node.fragments, evaluateOne);
  if (nodes === node.nodes && fragments === node.fragments) return node;
  return {
    ...node,
    ...(nodes && { nodes: nodes.length === 0 && node.nodes?.some(isCondition) ? [EMPTY] : nodes }),
    ...(fragments && { fragments }),
  } as BlockNode;
}

/** Some blocks may not be empty: one that held conditions alone keeps a place to hold something. */
const EMPTY: Block = { object: 'block', type: 'paragraph', isVoid: false, nodes: [] };

function evaluateFragments(fragments: Fragment[], evaluateOne: Evaluate): Fragment[] {
  let changed = false;
  const result = fragments.map((fragment) => {
    const nodes = evaluateBlocks(fragment.nodes, evaluateOne) as Block[];
    if (nodes === fragment.nodes) return fragment;
    changed = true;
    return { ...fragment, nodes };
  });
  return changed ? result : fragments;
}

/** Inline objects carry no leaves: the marks around one are kept in its data. */
const asText = (value: unknown, data: Data | undefined): Text => ({
  object: 'text',
  leaves: [
    { object: 'leaf', text: textOf(value), marks: Array.isArray(data?.marks) ? (data.marks as Mark[]) : [] },
  ],
});

/** Texts beside each other become one, as if the value had been written there. */
function joinTexts(nodes: readonly BlockNode[]): BlockNode[] {
  const result: BlockNode[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (node.object !== 'text' || last?.object !== 'text') result.push(node);
    else result[result.length - 1] = { ...last, leaves: joinLeaves([...last.leaves, ...node.leaves]) };
  }
  return result.filter((node) => node.object !== 'text' || node.leaves.some(({ text }) => text !== ''));
}

function joinLeaves(leaves: readonly Leaf[]): Leaf[] {
  const result: Leaf[] = [];
  for (const leaf of leaves) {
    const last = result.at(-1);
    if (last && sameMarks(last.marks, leaf.marks)) {
      result[result.length - 1] = { ...last, text: last.text + leaf.text };
    } else result.push(leaf);
  }
  return result;
}

const sameMarks = (a: readonly Mark[], b: readonly Mark[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
