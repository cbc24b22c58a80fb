import { isRecord } from './yaml.ts';

/** What a table of contents says of a computed page. */
type Computed = Record<string, unknown>;

/** The path of the file that a page is computed from, if its specification is a file of the repository. */
export function computedFrom(computed: Computed | undefined): string | undefined {
  const ref = refOf(computed);
  return ref?.kind === 'file' && typeof ref.file === 'string' ? ref.file : undefined;
}

/** The same with the id of that file in the place of its path. */
export function withComputedFrom(computed: Computed, file: string): Computed {
  return { ...computed, dependencies: { spec: { ref: { ...refOf(computed), file } } } };
}

function refOf(computed: Computed | undefined): Computed | undefined {
  const dependencies = isRecord(computed?.dependencies) ? computed.dependencies : {};
  const spec = isRecord(dependencies.spec) ? dependencies.spec : {};
  return isRecord(spec.ref) ? spec.ref : undefined;
}
