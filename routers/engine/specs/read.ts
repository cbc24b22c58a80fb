import { parseJson } from '../../../schema/json/parse-json.ts';
import type { ProcessingError } from '../../../schema/json/processing-error.ts';
import { problemWith } from '../../../schema/json/value.ts';
import { byteLimit } from '../byte-limit.ts';
import { decodeText, singleLine } from '../import/text.ts';
import { parseYaml } from '../import/yaml.ts';
import { findJsonProblem } from './json-keys.ts';
import { MAX_SPEC_DEPTH, SPEC_LIMIT } from './limits.ts';
import { parseError } from './problems.ts';

type ParsedSpec = { value: unknown; format: 'json' | 'yaml' } | { error: ProcessingError };

const YAML_LIMITS = { maxLength: SPEC_LIMIT, maxDepth: MAX_SPEC_DEPTH, merges: true };

/**
 * Parses JSON or YAML of bounded size and nesting, with unique keys and values that can be stored. Never throws because of
 * the text.
 */
export function parseSpecText(bytes: Uint8Array): ParsedSpec {
  if (bytes.byteLength > SPEC_LIMIT) return failure(`It is larger than ${byteLimit(SPEC_LIMIT)}.`);
  const text = decodeText(bytes)?.text;
  if (text === undefined) return failure('It is not UTF-8 text.');
  const start = /\S/.exec(text)?.[0];
  if (start === undefined) return failure('It is empty.');
  if (start === '<') return failure('It is HTML or XML, not JSON or YAML.', { line: 1 });
  // It could be YAML as well, but YAML is more lenient than JSON.
  if (start === '{' || start === '[') return readJson(text);
  const yaml = parseYaml(text, YAML_LIMITS);
  if ('value' in yaml) return { value: yaml.value, format: 'yaml' };
  return failure(`It ${singleLine(yaml.error)}.`, placeOf(yaml));
}

const failure = (...problem: Parameters<typeof parseError>) => ({ error: parseError(...problem) });

const placeOf = ({ line }: { line?: number }) => (line === undefined ? {} : { line });

const JSON_ERROR = / in JSON at position \d+ \(line (\d+) column (\d+)\)$/;

function readJson(text: string): ParsedSpec {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const { message } = error as Error;
    const [, line, column] = JSON_ERROR.exec(message) ?? [];
    const yaml = line === undefined ? parseYaml(text, YAML_LIMITS) : { value };
    return failure(
      `It is not valid JSON: ${singleLine(message.replace(JSON_ERROR, ''))}.`,
      // If the JSON parser gives no position, the YAML parser mostly stops at the same place.
      'error' in yaml
        ? placeOf(yaml)
        : line === undefined
          ? {}
          : { line: Number(line), column: Number(column) },
    );
  }
  const problem = findJsonProblem(text);
  if (problem) return failure(problem.message, { path: problem.path, line: problem.line });
  const unstorable = problemWith(value);
  return unstorable
    ? failure(`A value ${unstorable.message}.`, { path: unstorable.keys })
    : { value, format: 'json' };
}
