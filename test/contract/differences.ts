import { createRequire } from 'node:module';
import type { Answer } from '../helpers/service.ts';
import { type Operation, published } from './operations.ts';

/** What clients read as a list, whatever the document says. */
const LIST = { type: 'array', items: { type: 'object' } };

/** Objects may have more than the document knows, so that one alternative alone need not match. */
const open = JSON.parse(
  JSON.stringify(published, (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : key === 'filesystem' ? LIST : value,
  ).replaceAll('"oneOf":', '"anyOf":'),
) as typeof published;

const FORMATS = Object.fromEntries(
  ['date-time', 'uri', 'email', 'emoji', 'uuid', 'double', 'float', 'int32'].map((name) => [
    name,
    () => true,
  ]),
);

interface ResponseValidator {
  validateResponse(
    status: number,
    body: unknown,
  ): { errors: { path: string; message: string }[] } | undefined;
}
// A common-js module, whose default export the loaders wrap differently.
const require = createRequire(import.meta.url);
const { default: Validator } = require('openapi-response-validator') as {
  default: new (options: object) => ResponseValidator;
};

/** The components that a part of the document refers to; the validator would compile all of them each time. */
function reachedBy(part: object, found: typeof open.components = {}): typeof open.components {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    const component = open.components[kind]?.[name];
    if (!component || found[kind]?.[name]) continue;
    found[kind] = { ...found[kind], [name]: component };
    reachedBy(component, found);
  }
  return found;
}

/** By method and path: compiling the schemas of an answer takes far longer than a check. */
const validators = new Map<string, ResponseValidator>();

/** Every place where an answer is not what the published document says. */
export function differences(
  { method, path }: Pick<Operation, 'method' | 'path'>,
  { status, body }: Pick<Answer, 'status' | 'body'>,
): string[] {
  const key = `${method} ${path}`;
  const validator = validators.get(key) ?? validatorOf(method, path);
  validators.set(key, validator);
  const { errors = [] } = validator.validateResponse(status, body ?? null) ?? {};
  return [...new Set(errors.map((error) => `${error.path}: ${error.message}`))];
}

function validatorOf(method: string, path: string): ResponseValidator {
  const responses = open.paths[path]?.[method.toLowerCase()]?.responses;
  if (!responses) throw new Error(`the published client does not know ${method} ${path}`);
  return new Validator({ responses, components: reachedBy(responses), customFormats: FORMATS });
}
