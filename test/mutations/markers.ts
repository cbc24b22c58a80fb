import ts from 'typescript';
import type { Guard } from './guard.ts';
import { markedAt } from './mutations.ts';

/** A comment that gives names to the guards in the node after it: `// guard: name, another-name`. */
export const MARKER = /\/\/ guard: ([a-z\d]+(?:-[a-z\d]+)*(?:, [a-z\d]+(?:-[a-z\d]+)*)*)$/gm;

/** @returns the names of all guards that are marked in a source */
export function markedIn(source: string): string[] {
  return [...source.matchAll(MARKER)].flatMap(([, names = '']) => names.split(', '));
}

/** @returns a source without one guard */
export function withoutGuard(path: string, source: string, { name, mutation }: Guard): string {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const edits = mutation(nodeOf(file, name)).toSorted((a, b) => b.start - a.start);
  return edits.reduce(
    (text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
    source,
  );
}

function nodeOf(file: ts.SourceFile, guard: string): ts.Node {
  const marker = [...file.text.matchAll(MARKER)].find(([, names = '']) => names.split(', ').includes(guard));
  if (!marker) throw new Error(`${file.fileName} marks no guard as "${guard}".`);
  const node = markedAt(file, nextToken(file.text, marker.index));
  if (!node) throw new Error(`Nothing begins after the marker of "${guard}".`);
  return node;
}

/** @returns where the first token after comments begins */
function nextToken(source: string, position: number): number {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, source);
  scanner.resetTokenState(position);
  scanner.scan();
  return scanner.getTokenStart();
}
