import { isRecord } from '../values.ts';

/** The source of a computed page, as written in a table of contents. */
type Computed = Record<string, unknown>;

/** The file that a page is computed from; undefined if its source is not a file. */
export function sourceFileOf(computed: Computed | undefined): string | undefined {
  const ref = part(part(part(computed, 'dependencies'), 'spec'), 'ref');
  return ref?.kind === 'file' && typeof ref.file === 'string' ? ref.file : undefined;
}

/** Replaces the file of a source: an import replaces its path by its id, and an export the other way round. */
export function withSourceFile(computed: Computed, file: string): Computed {
  const dependencies = part(computed, 'dependencies');
  const spec = part(dependencies, 'spec');
  const ref = { ...part(spec, 'ref'), file };
  return { ...computed, dependencies: { ...dependencies, spec: { ...spec, ref } } };
}

function part(of: Computed | undefined, name: string): Computed | undefined {
  const value = of?.[name];
  return isRecord(value) ? value : undefined;
}
