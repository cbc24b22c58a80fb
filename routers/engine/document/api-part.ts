import type { Data } from './document.ts';

/** The part of an API that one block or page shows. */
export type ApiPart =
  | { kind: 'operation'; path: string; method: string }
  | { kind: 'webhook'; name: string; method: string }
  | { kind: 'models'; schemas: readonly string[] };

/** Identifies a part of an API within its document, whatever the case of its method. */
export function keyOfPart(part: ApiPart): string {
  switch (part.kind) {
    case 'operation':
      return `operation ${part.method.toLowerCase()} ${part.path}`;
    case 'webhook':
      return `webhook ${part.method.toLowerCase()} ${part.name}`;
    case 'models':
      return 'models';
  }
}

/** A part, or a tag, by its key as people call it, such as `GET /pets`. */
export function labelOfKey(key: string): string {
  if (key.startsWith('tag ')) return `The tag ${key.slice('tag '.length)}`;
  const [, kind, method = '', name = ''] = /^(operation|webhook) ([^ ]+) (.*)$/s.exec(key) ?? [];
  if (kind === undefined) return key;
  return kind === 'operation' ? `${method.toUpperCase()} ${name}` : name;
}

/** The part that a block shows of the document that it refers to; undefined for any other block, or a malformed one. */
export function partOf(type: string, { path, method, name, schemas }: Data): ApiPart | undefined {
  if (type === 'openapi-schemas') return isTexts(schemas) ? { kind: 'models', schemas } : undefined;
  if (typeof method !== 'string') return undefined;
  if (type === 'openapi-webhook')
    return typeof name === 'string' ? { kind: 'webhook', name, method } : undefined;
  if (type !== 'openapi-operation' && type !== 'swagger') return undefined;
  return typeof path === 'string' ? { kind: 'operation', path, method } : undefined;
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** What a part is about as people write it, such as `GET /pets`; of models, their names. */
export const labelOfPart = (part: ApiPart): string =>
  part.kind === 'models' ? part.schemas.join('\n') : labelOfKey(keyOfPart(part));
