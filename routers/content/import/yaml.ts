import { LineCounter, parseDocument } from 'yaml';

/** Characters of YAML read from one place; what people write by hand is far smaller. */
const MAX_YAML_LENGTH = 64 * 1024;

export type YamlResult = { value: unknown } | { error: string; line?: number };

/**
 * Reads one YAML document of bounded size as plain values. Never throws: what cannot be read, aliases that multiply
 * and nesting that would exhaust the stack included, comes back as an error with its line, counted from 1.
 */
export function readYaml(text: string): YamlResult {
  if (text.length > MAX_YAML_LENGTH)
    return { error: `is larger than the ${MAX_YAML_LENGTH / 1024} kB that are read` };
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
    const [problem] = document.errors;
    if (problem)
      return {
        error: `is not valid YAML: ${problem.message}`,
        line: lineCounter.linePos(problem.pos[0]).line,
      };
    return { value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return { error: `is not valid YAML: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
