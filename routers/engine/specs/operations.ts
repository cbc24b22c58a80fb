import { valueAt } from './pointers.ts';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** The number of operations on the paths of a document. */
export function countOperations(document: unknown): number {
  let count = 0;
  for (const item of Object.values(fieldsOf(fieldsOf(document).paths))) {
    const fields = { ...referred(document, item), ...fieldsOf(item) };
    count += METHODS.filter((method) => fields[method] !== undefined).length;
    count += Object.keys(fieldsOf(fields.additionalOperations)).length;
  }
  return count;
}

/** What a path refers to, if it does so within the document. */
function referred(document: unknown, item: unknown): Fields {
  const { $ref } = fieldsOf(item);
  return typeof $ref === 'string' && $ref.startsWith('#/') ? fieldsOf(valueAt(document, $ref.slice(1))) : {};
}
