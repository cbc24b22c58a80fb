import { disable, type Mutation } from './mutations.ts';

/** A guard in the source, what disables it, and the tests that must then fail. */
export interface Guard {
  /** Stands in the source: `// guard: name`, above the guard. */
  name: string;
  description: string;
  /** Test files, or folders of them. */
  tests: readonly string[];
  mutation: Mutation;
}

export function guard(
  name: string,
  description: string,
  tests: string | readonly string[],
  mutation: Mutation = disable,
): Guard {
  return { name, description, tests: typeof tests === 'string' ? [tests] : tests, mutation };
}
