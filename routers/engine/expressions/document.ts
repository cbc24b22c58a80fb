import type { Block, BlockNode, Data, Document, Format, Fragment, Leaf, Text } from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import { distinctMarks, sameMarks } from '../markdown/nodes.ts';
import { type Budget, createBudget } from './budget.ts';
import { evaluate, type Inputs, textOf } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import { isOpenCondition } from './open-condition.ts';
import { type Expression, namesIn, parseExpression } from './parse.ts';
import { isShownAsWritten, unknownName } from './problems.ts';

/**
 * Which expressions to evaluate: all of them, or only those that depend on nothing but the content, so that the result is
 * the same for every reader.
 */
export type Evaluation = 'all' | 'deterministic';

/** The inputs that are part of the content. */
const DETERMINISTIC = new Set(['space', 'page']);

/** The result of an expression: its value, for conditions, and its text. */
interface Result {
  readonly value: unknown;
  text(): string;
}

/** Evaluates an expression of a document; undefined to leave it as it is. */
type Evaluate = (source: unknown) => Result | undefined;

/**
 * Returns a copy of a document with expressions replaced by their values, and conditional blocks replaced by their content
 * or removed. Expressions of other languages are text. Those that fail or exceed the {@link Budget} of the document produce nothing,
 * and neither does what follows the tag of a condition that is not a block, so that a mistake in a condition reveals no content.
 * Unchanged parts are shared with the original.
 */
export function evaluateDocument(document: Document, inputs: Inputs, evaluation: Evaluation): Document {
  const nodes = evaluateBlocks(document.nodes, evaluator(inputs, evaluation)) as Block[];
  if (nodes === document.nodes) return document;
  const { format, ...fields } = document;
  return { ...fields, ...formatField(format), nodes };
}

function evaluator(inputs: Inputs, evaluation: Evaluation): Evaluate {
  const budget = createBudget();
  const results = new Map<string, Result | undefined>();
  return (source) => {
    if (typeof source !== 'string') return evaluation === 'all' ? NOTHING : undefined;
    if (!results.has(source)) results.set(source, computeResult(source, inputs, evaluation, budget));
    return results.get(source);
  };
}

const NOTHING: Result = { value: undefined, text: () => '' };

function computeResult(
  source: string,
  inputs: Inputs,
  evaluation: Evaluation,
  budget: Budget,
): Result | undefined {
  return withFallback<Result | undefined>(() => {
    const expression = withFallback(() => parseExpression(source, budget), undefined);
    if (!expression || unknownName(expression) !== undefined)
      return isShownAsWritten(source) && !budget.isSpent
        ? textResult(undefined, `{{ ${source} }}`, budget)
        : NOTHING;
    if (evaluation === 'deterministic' && !isDeterministic(expression)) return undefined;
    const value = evaluate(expression, inputs, budget);
    return textResult(
      value,
      withFallback(() => textOf(value, budget), ''),
      budget,
    );
  }, NOTHING);
}

/** The text is charged for every occurrence, since each makes the document longer. */
function textResult(value: unknown, text: string, budget: Budget): Result {
  const show = () => {
    budget.spendOnText(text.length);
    return text;
  };
  return { value, text: () => withFallback(show, '') };
}

/** Returns the computed value, or `otherwise` if an expression fails. */
function withFallback<T>(compute: () => T, otherwise: T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ExpressionError) return otherwise;
    throw error;
  }
}

const isDeterministic = (expression: Expression): boolean => namesIn(expression).isSubsetOf(DETERMINISTIC);

const isCondition = (node: BlockNode): node is Block => node.object === 'block' && node.type === 'if';

function evaluateBlocks(nodes: BlockNode[], evaluateSource: Evaluate): BlockNode[] {
  let changed = false;
  const result: BlockNode[] = [];
  for (const node of nodes) {
    // guard: condition-open
    if (isOpenCondition(node) && evaluateSource(undefined)) {
      changed = true;
      break;
    }
    if (isCondition(node)) {
      const outcome = evaluateSource(node.data?.expression);
      if (outcome) {
        changed = true;
        if (outcome.value)
          for (const held of evaluateBlocks(node.nodes ?? [], evaluateSource)) result.push(held);
        continue;
      }
    }
    const next = evaluateNode(node, evaluateSource);
    changed ||= next !== node;
    result.push(next);
  }
  return changed ? joinTexts(result) : nodes;
}

function evaluateNode(node: BlockNode, evaluateSource: Evaluate): BlockNode {
  if (node.object === 'text') return node;
  if (node.object === 'inline' && node.type === 'expression') {
    const outcome = evaluateSource(node.data?.expression);
    return outcome ? asText(outcome.text(), node.data) : node;
  }
  const nodes = node.nodes && evaluateBlocks(node.nodes, evaluateSource);
  const fragments = node.fragments && evaluateFragments(node.fragments, evaluateSource);
  if (nodes === node.nodes && fragments === node.fragments) return node;
  // The original Markdown contains what readers must not see.
  const { format, ...fields } = node;
  return {
    ...fields,
    ...formatField(format),
    ...(nodes && { nodes: nodes.length === 0 && node.nodes?.some(mayDisappear) ? [EMPTY] : nodes }),
    ...(fragments && { fragments }),
  } as BlockNode;
}

const mayDisappear = (node: BlockNode): boolean => isCondition(node) || isOpenCondition(node);

function formatField(format: Format | undefined): { format?: Format } {
  const hints = withoutSource(format);
  return hints ? { format: hints } : {};
}

/** Replaces the content of a block that only had conditions, as some blocks may not be empty. */
const EMPTY: Block = { object: 'block', type: 'paragraph', isVoid: false, nodes: [] };

function evaluateFragments(fragments: Fragment[], evaluateSource: Evaluate): Fragment[] {
  let changed = false;
  const result = fragments.map((fragment) => {
    const nodes = evaluateBlocks(fragment.nodes, evaluateSource) as Block[];
    if (nodes === fragment.nodes) return fragment;
    changed = true;
    return { ...fragment, nodes };
  });
  return changed ? result : fragments;
}

/** Inlines have no leaves: their marks are in their data. */
const asText = (text: string, data: Data | undefined): Text => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: [...distinctMarks(data?.marks)] }],
});

/** Joins adjacent texts, as if the value had been written in the document. */
function joinTexts(nodes: readonly BlockNode[]): BlockNode[] {
  const result: BlockNode[] = [];
  let joined: Text | undefined;
  for (const node of nodes) {
    if (node.object !== 'text') {
      joined = undefined;
      result.push(node);
    } else if (!joined) {
      joined = { ...node, leaves: [] };
      result.push(joined);
    }
    if (node.object === 'text' && joined) joinLeaves(joined.leaves, node.leaves);
  }
  return result.filter((node) => node.object !== 'text' || node.leaves.some(({ text }) => text !== ''));
}

/** Appends leaves to those of a text; they are copied, since the last one may be extended. */
function joinLeaves(result: Leaf[], leaves: readonly Leaf[]): void {
  for (const leaf of leaves) {
    const last = result.at(-1);
    if (last && sameMarks(last.marks, leaf.marks)) last.text += leaf.text;
    else result.push({ ...leaf });
  }
}
