import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Declarations of a module that refer to nothing else but imported packages. */
interface ModuleTypes {
  declarations: string[];
  /** The names that they import, by package. */
  imports: Map<string, Set<string>>;
}

/** The declarations of some names of a module, with those that they refer to in turn. */
export function declarationsFor(module: string, names: Iterable<string>): ModuleTypes {
  const { statements } = declarationsOf(fileURLToPath(module));
  const byName = new Map(statements.flatMap((one) => namesOf(one).map((name) => [name, one] as const)));
  const needed = new Set<ts.Statement>();
  const imports = new Map<string, Set<string>>();
  const include = (name: string): void => {
    const statement = byName.get(name);
    if (!statement || needed.has(statement)) return;
    if (!ts.isImportDeclaration(statement)) {
      needed.add(statement);
      for (const used of identifiersOf(statement)) include(used);
      return;
    }
    const from = (statement.moduleSpecifier as ts.StringLiteral).text;
    if (from.startsWith('.')) throw new Error(`${module}: the declaration of ${name} is not in this module.`);
    imports.set(from, (imports.get(from) ?? new Set()).add(name));
  };
  for (const name of names) {
    if (!byName.has(name)) throw new Error(`${module} declares no ${name}.`);
    include(name);
  }
  return { declarations: [...needed].map((statement) => statement.getText()), imports };
}

/** The declarations of a module, as `isolatedDeclarations` emits them. */
function declarationsOf(file: string): ts.SourceFile {
  const { outputText } = ts.transpileDeclaration(readFileSync(file, 'utf8'), { fileName: file });
  return ts.createSourceFile(file, outputText, ts.ScriptTarget.Latest, true);
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    return bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
  }
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
    return [statement.name.text];
  return [];
}

function identifiersOf(node: ts.Node): string[] {
  const names: string[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isTypeReferenceNode(child)) names.push(child.typeName.getText());
    if (ts.isTypeQueryNode(child)) names.push(child.exprName.getText());
    if (ts.isExpressionWithTypeArguments(child)) names.push(child.expression.getText());
    ts.forEachChild(child, visit);
  };
  visit(node);
  return names;
}
