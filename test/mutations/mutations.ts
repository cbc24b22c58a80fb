/** What can be done to a guard in the source: each operation works on the syntax tree of the node that is marked. */
import ts from 'typescript';

/** A part of a source that is replaced. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

export type Mutation = (node: ts.Node) => Edit[];

/**
 * Parts of a node, the innermost first: `operand 2 of argument 1`. Each is the first one that is found in what it is of:
 * `condition`, `then` and `else` are of an `if`, a loop or `?`; `operand n` is of `&&`, `||` or `??`, `side n` of another
 * operator; `argument n` of a call; `element n` of an array; `member n` and `property name` of an object; `statement n` of a
 * block; `value` is what is assigned or returned, `body` what an arrow leads to, `object` what stands before a dot, and
 * `call n` the nth call in the text.
 */
type Path = string;

/** Does to a part of the marked node what would else be done to the node. */
export function at(path: Path, mutation: Mutation = disable): Mutation {
  return (node) => mutation(partOf(node, path));
}

/** What is done to a guard unless something else is said: a condition never holds, all else is removed. */
export const disable: Mutation = (node) =>
  hasCondition(node) || isCondition(node) ? never(node) : remove(node);

/** Removes a statement, a call of a chain, an element, a property, an argument or an operand. */
export const remove: Mutation = (node) => {
  const { parent } = node;
  if (ts.isBlock(parent) || ts.isSourceFile(parent) || ts.isCaseOrDefaultClause(parent))
    return [edit(node, '')];
  if (ts.isStatement(node)) return [edit(node, '{}')];
  if (ts.isBinaryExpression(parent) && isLogical(parent))
    return [edit(parent, (parent.left === node ? parent.right : parent.left).getText())];
  const list = listWith(node);
  if (list) return [removalFrom(list, node as ts.Expression)];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return [{ start: node.expression.expression.end, end: node.end, text: '' }];
  throw new Error(`This cannot be removed: ${node.getText()}`);
};

/** A condition never holds. */
export const never: Mutation = (node) => [edit(conditionIn(node), 'false')];

/** A condition always holds. */
export const always: Mutation = (node) => [edit(conditionIn(node), 'true')];

/** The first argument of a call takes its place. */
export const unwrap: Mutation = (node) => keep('argument 1')(node);

/** A part of the node takes its place. */
export function keep(path: Path): Mutation {
  return (node) => [edit(node, partOf(node, path).getText())];
}

/**
 * Another text takes the place of the node: one that names nothing of the source, where that will do. `$(argument 1)` in
 * it is that part of the node, `$()` the node itself.
 */
export function becomes(text: string): Mutation {
  return (node) => [
    edit(
      node,
      text.replaceAll(/\$\((.*?)\)/g, (_, path: Path) => (path ? partOf(node, path) : node).getText()),
    ),
  ];
}

/** A statement comes after the one that follows it. */
export const later: Mutation = (node) => {
  const { parent } = node;
  const next = ts.isBlock(parent)
    ? parent.statements[parent.statements.indexOf(node as ts.Statement) + 1]
    : undefined;
  if (!next) throw new Error(`No statement follows: ${node.getText()}`);
  return [edit(node, next.getText()), edit(next, node.getText())];
};

/** Does several things to the node, which must not overlap. */
export function both(...mutations: Mutation[]): Mutation {
  return (node) => mutations.flatMap((mutation) => mutation(node));
}

/** Replaces words in the node, each of which it contains once: for what is no syntax tree, such as SQL. */
export function replace(words: Record<string, string>): Mutation {
  return (node) =>
    Object.entries(words).map(([word, text]) => {
      const [before, ...others] = node.getText().split(word);
      if (before === undefined || others.length !== 1)
        throw new Error(`This does not contain once "${word}": ${node.getText()}`);
      const start = node.getStart() + before.length;
      return { start, end: start + word.length, text };
    });
}

/** @returns the node that a marker stands above, which begins with the token at a position */
export function markedAt(file: ts.SourceFile, position: number): ts.Node | undefined {
  let marked: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (position < node.pos || position >= node.end || marked) return;
    if (!ts.isSourceFile(node) && node.getStart() === position) marked = node;
    else if (startOfLink(node) === position) marked = ts.isCallExpression(node.parent) ? node.parent : node;
    else ts.forEachChild(node, visit);
  };
  visit(file);
  return marked;
}

/** @returns where `.name` of a chain begins */
function startOfLink(node: ts.Node): number | undefined {
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  return node.questionDotToken?.getStart() ?? node.name.getStart() - 1;
}

function edit(node: ts.Node, text: string): Edit {
  return { start: node.getStart(), end: node.end, text };
}

/** An element is removed with the comma after it, or with the one before it if it is the last. */
function removalFrom(list: ts.NodeArray<ts.Node>, node: ts.Node): Edit {
  const index = list.indexOf(node);
  const [previous, next] = [list[index - 1], list[index + 1]];
  if (next) return { start: node.getStart(), end: next.getStart(), text: '' };
  return { start: previous?.end ?? node.getStart(), end: node.end, text: '' };
}

function listWith(node: ts.Node): ts.NodeArray<ts.Node> | undefined {
  const { parent } = node;
  const lists: (ts.NodeArray<ts.Node> | undefined)[] = [];
  if (ts.isArrayLiteralExpression(parent)) lists.push(parent.elements);
  if (ts.isObjectLiteralExpression(parent)) lists.push(parent.properties);
  if (ts.isCallOrNewExpression(parent)) lists.push(parent.arguments);
  return lists.find((list) => list?.includes(node));
}

type WithCondition = ts.IfStatement | ts.ConditionalExpression | ts.IterationStatement;

function hasCondition(node: ts.Node): node is WithCondition {
  return ts.isIfStatement(node) || ts.isConditionalExpression(node) || ts.isIterationStatement(node, false);
}

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) || ts.isForStatement(node) ? node.condition : undefined;
}

function isCondition(node: ts.Node): boolean {
  return conditionOf(node.parent) === node;
}

/** @returns the condition of an `if`, of a loop or of `?`, the first one in a statement, or an expression itself */
function conditionIn(node: ts.Node): ts.Node {
  return hasCondition(node) || ts.isStatement(node) ? partOf(node, 'condition') : node;
}

function isLogical({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return (
    kind === ts.SyntaxKind.AmpersandAmpersandToken ||
    kind === ts.SyntaxKind.BarBarToken ||
    kind === ts.SyntaxKind.QuestionQuestionToken
  );
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** @returns the operands of `a && b && c` */
function operandsOf(node: ts.Node, operator: ts.SyntaxKind): ts.Node[] {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== operator) return [node];
  return [...operandsOf(node.left, operator), node.right];
}

function partOf(node: ts.Node, path: Path): ts.Node {
  return path.split(' of ').reduceRight((whole, step) => {
    const part = firstPart(whole, step);
    if (!part) throw new Error(`There is no "${step}" in: ${whole.getText()}`);
    return part;
  }, node);
}

function firstPart(node: ts.Node, step: string): ts.Node | undefined {
  const [name = '', which = ''] = step.split(' ');
  if (name === 'call') return callsIn(node)[Number(which) - 1];
  return directPart(node, name, which) ?? ts.forEachChild(node, (child) => firstPart(child, step));
}

function callsIn(node: ts.Node): ts.Node[] {
  const calls: ts.Node[] = ts.isCallOrNewExpression(node) ? [node] : [];
  ts.forEachChild(node, (child) => void calls.push(...callsIn(child)));
  return calls;
}

/** @returns the part of this name that is directly of a node */
function directPart(node: ts.Node, name: string, which: string): ts.Node | undefined {
  const index = Number(which) - 1;
  switch (name) {
    case 'condition':
      return conditionOf(node);
    case 'then':
      if (ts.isIfStatement(node)) return node.thenStatement;
      return ts.isConditionalExpression(node) ? node.whenTrue : undefined;
    case 'else':
      if (ts.isIfStatement(node)) return node.elseStatement;
      return ts.isConditionalExpression(node) ? node.whenFalse : undefined;
    case 'value':
      return givenValue(node);
    case 'body':
      return ts.isArrowFunction(node) ? node.body : undefined;
    case 'object':
      return ts.isPropertyAccessExpression(node) ? node.expression : undefined;
    case 'operand':
    case 'side':
      if (!ts.isBinaryExpression(node) || isAssignment(node) || isLogical(node) !== (name === 'operand'))
        return undefined;
      return operandsOf(node, node.operatorToken.kind)[index];
    case 'argument':
      return ts.isCallOrNewExpression(node) ? node.arguments?.[index] : undefined;
    case 'element':
      return ts.isArrayLiteralExpression(node) ? node.elements[index] : undefined;
    case 'statement':
      return ts.isBlock(node) ? node.statements[index] : undefined;
    case 'property':
      if (!ts.isObjectLiteralExpression(node)) return undefined;
      return node.properties.find((property) => property.name?.getText() === which);
    case 'member':
      return ts.isObjectLiteralExpression(node) ? node.properties[index] : undefined;
    default:
      throw new Error(`There are no parts called "${name}".`);
  }
}

/** @returns what is assigned, returned or thrown */
function givenValue(node: ts.Node): ts.Node | undefined {
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) return node.initializer;
  if (ts.isReturnStatement(node) || ts.isThrowStatement(node)) return node.expression;
  return ts.isBinaryExpression(node) && isAssignment(node) ? node.right : undefined;
}
