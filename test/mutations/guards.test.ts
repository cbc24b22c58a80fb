import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { ALL_GUARDS } from './all-guards.ts';
import { findMarkers, parse, ROOT, withoutGuard } from './markers.ts';

const markers = await findMarkers();
const files = new Map<string, ts.SourceFile>();
const names = ALL_GUARDS.map(({ name }) => name);

test('each guard is listed once', () => {
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
});

test('each marker in the source is that of a listed guard', () => {
  expect([...markers.keys()].filter((name) => !names.includes(name))).toEqual([]);
});

test.each(ALL_GUARDS)('the guard $name stands in the source once, and can be removed', async (guard) => {
  const [file, ...others] = markers.get(guard.name) ?? [];
  expect(others).toEqual([]);
  if (file === undefined) throw new Error(`No comment in the source says: guard: ${guard.name}`);
  const parsed = await readParsed(file);
  const changed = withoutGuard(parsed, guard);
  expect(changed).not.toBe(parsed.text);
  expect(syntaxErrors(file, changed)).toEqual([]);
  for (const path of guard.tests) await stat(join(ROOT, path));
});

async function readParsed(path: string): Promise<ts.SourceFile> {
  const known = files.get(path);
  if (known) return known;
  const file = parse(path, await readFile(join(ROOT, path), 'utf8'));
  files.set(path, file);
  return file;
}

function syntaxErrors(file: string, source: string): unknown[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest);
  return (parsed as ts.SourceFile & { parseDiagnostics: unknown[] }).parseDiagnostics;
}
