import { isRecord } from './yaml.ts';

/** A computed page as given in a table of contents. */
type Computed = Record<string, unknown>;

/** The path of the file that a page is computed from, if its specification is a file of the repository. */
export function sourceFileOf(computed: Computed | undefined): string | undefined {
  const ref = part(part(part(computed, 'dependencies'), 'spec'), 'ref');
  return ref?.kind === 'file' && typeof ref.file === 'string' ? ref.file : undefined;
}

/** The same with the id of that file in the place of its path. */
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
