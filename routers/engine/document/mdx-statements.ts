// Statements of MDX, such as `import Tabs from '@theme/Tabs';`, which declare the components of a page. Nothing is shown of them.

const CLAUSE = /^[\w$*{},\s]+$/;
/** A quotation mark, and what may follow the path of an import on its line. */
const QUOTE = /["']/g;
const AFTER = /^[ \t]*(?:;[ \t]*)?$/;
const NAME = /[A-Za-z_$][\w$]*/g;
/** The rest of an exported declaration is JavaScript. */
const EXPORT = /^export\s+(?:default\s+)?(?:const|let|var|function|class)\s+([A-Za-z_$][\w$]*)/;

/** The names that some statements declare; undefined if there is anything else. */
export function namesInStatements(markdown: string): string[] | undefined {
  const text = markdown.trim();
  // What a condition hides must not be shown because its tag is taken for JavaScript.
  // guard: mdx-statement-conditions
  if (text.includes('{%')) return undefined;
  const [, exported] = EXPORT.exec(text) ?? [];
  if (exported !== undefined) return [exported];
  const names: string[] = [];
  for (let at = 0; at < text.length; ) {
    const found = importAt(text, at);
    if (!found) return undefined;
    for (const name of found.names) names.push(name);
    at = found.end;
  }
  return names;
}

/** Whether Markdown is statements of MDX, and nothing else. */
export const isMdxStatements = (markdown: string): boolean => {
  const names = namesInStatements(markdown);
  return names !== undefined && names.length > 0;
};

/** The import at an index, which ends with its line, and the index of the next one; undefined if there is none. */
function importAt(text: string, start: number): { names: string[]; end: number } | undefined {
  if (!text.startsWith('import', start)) return undefined;
  const from = start + 'import'.length;
  QUOTE.lastIndex = from;
  const { 0: mark = '', index: quote = -1 } = QUOTE.exec(text) ?? {};
  const close = mark === '' ? -1 : text.indexOf(mark, quote + 1);
  if (close < 0) return undefined;
  const lineEnd = text.indexOf('\n', close);
  const end = lineEnd < 0 ? text.length : lineEnd;
  if (!AFTER.test(text.slice(close + 1, end)) || text.slice(quote, close).includes('\n')) return undefined;
  const clause = text.slice(from, quote).trim();
  if (!clause.endsWith('from') || !CLAUSE.test(clause)) return undefined;
  return { names: clause.slice(0, -'from'.length).match(NAME) ?? [], end: end + 1 };
}
