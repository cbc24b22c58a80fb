import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { ALL_GUARDS } from './all-guards.ts';
import { findMarkers, ROOT, withoutGuard } from './markers.ts';

const markers = await findMarkers();
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
  const source = await readFile(join(ROOT, file), 'utf8');
  const changed = withoutGuard(file, source, guard);
  expect(changed).not.toBe(source);
  expect(syntaxErrors(file, changed)).toEqual([]);
  for (const path of guard.tests) await stat(join(ROOT, path));
});

function syntaxErrors(file: string, source: string): unknown[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest);
  return (parsed as ts.SourceFile & { parseDiagnostics: unknown[] }).parseDiagnostics;
}
