/** The comments that mark guards in the source. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import type { Guard } from './guard.ts';
import { markedAt } from './mutations.ts';

export const ROOT = join(import.meta.dirname, '../..');

const FOLDERS = ['server', 'routers', 'schema', 'test/bench'];

/** It stands above what it marks, and names the guards in it: `// guard: name, another-name`. */
const MARKER = /\/\/ guard: (.+)$/gm;

/** @returns the files that mark each guard, one for each of its markers */
export async function findMarkers(): Promise<Map<string, string[]>> {
  const markers = new Map<string, string[]>();
  for (const folder of FOLDERS)
    for (const name of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!/\.m?[jt]s$/.test(name)) continue;
      const file = join(folder, name);
      for (const guard of guardsIn(await readFile(join(ROOT, file), 'utf8')))
        markers.set(guard, [...(markers.get(guard) ?? []), file]);
    }
  return markers;
}

export function parse(path: string, source: string): ts.SourceFile {
  return ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
}

/** @returns the source of a file without one guard */
export function withoutGuard(file: ts.SourceFile, { name, mutation }: Guard): string {
  const edits = mutation(markedNode(file, name)).toSorted((a, b) => b.start - a.start);
  return edits.reduce(
    (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end),
    file.text,
  );
}

function guardsIn(source: string): string[] {
  return [...source.matchAll(MARKER)].flatMap(([, names = '']) => names.split(', '));
}

function markedNode(file: ts.SourceFile, guard: string): ts.Node {
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
