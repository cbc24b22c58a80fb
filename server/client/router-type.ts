import ts from 'typescript';

/** The part of the router that requests cannot call. */
const OPERATOR_ONLY = 'installation';

/**
 * The type of the router as declarations by name, generated from the source of the root router. The compiler would expand
 * every procedure into one declaration, whose length is limited. Chapters for the operator's tools are left out: requests
 * cannot call them.
 */
export function routerDeclarations(source: string): string {
  const file = ts.createSourceFile('index.ts', source, ts.ScriptTarget.Latest, true);
  const imports = new Map<string, string>();
  let record: string | undefined;
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) readImport(statement, imports);
    if (ts.isVariableStatement(statement)) {
      const [declaration] = statement.declarationList.declarations;
      if (declaration?.name.getText() === 'appRouter' && declaration.initializer) {
        record = typeOf(declaration.initializer);
      }
    }
  }
  if (!record) throw new Error('routers/index.ts declares no appRouter');
  const used = [...imports].filter(([name]) => record.includes(`typeof ${name})`));
  const [anyRouter] = used[0] ?? [];
  if (!anyRouter) throw new Error('routers/index.ts has no routers');
  return [
    "import type { TRPCBuiltRouter, TRPCDecorateCreateRouterOptions } from '@trpc/server';",
    ...used.map(([name, from]) => `import type { ${name} } from '${from}';`),
    `type Root = typeof ${anyRouter} extends TRPCBuiltRouter<infer Types, infer _> ? Types : never;`,
    `export type AppRouter = TRPCBuiltRouter<Root, TRPCDecorateCreateRouterOptions<${record}>>;`,
  ].join('\n');
}

function readImport(statement: ts.ImportDeclaration, imports: Map<string, string>): void {
  const bindings = statement.importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return;
  const from = (statement.moduleSpecifier as ts.StringLiteral).text;
  for (const { name } of bindings.elements) imports.set(name.text, from);
}

/**
 * `router({...})` is its record, `mergeRouters(a, b)` the intersection of both, and an identifier the type of its value.
 */
function typeOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return `(typeof ${node.text})['_def']['record']`;
  if (ts.isCallExpression(node)) {
    const callee = node.expression.getText();
    if (callee === 'router' && node.arguments[0]) return typeOf(node.arguments[0]);
    if (callee === 'mergeRouters') return node.arguments.map(typeOf).join(' & ');
  }
  if (ts.isObjectLiteralExpression(node)) {
    const members = node.properties.map((property) => {
      if (!ts.isPropertyAssignment(property)) throw new Error(`not understood: ${property.getText()}`);
      const name = property.name.getText();
      return name === OPERATOR_ONLY ? '' : `${name}: ${typeOf(property.initializer)};`;
    });
    return `{ ${members.join(' ')} }`;
  }
  throw new Error(`not understood in routers/index.ts: ${node.getText()}`);
}
