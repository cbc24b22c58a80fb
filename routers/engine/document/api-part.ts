import type { Data } from './document.ts';

/** The part of an API that a block or page shows. */
export type ApiPart =
  | { kind: 'operation'; path: string; method: string }
  | { kind: 'webhook'; name: string; method: string }
  | { kind: 'models'; schemas: readonly string[] };

/** A key that identifies a part within its OpenAPI document; the case of its method does not matter. */
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

/** The label of a part or tag by its key, such as `GET /pets`. */
export function labelOfKey(key: string): string {
  if (key.startsWith('tag ')) return `The tag ${key.slice('tag '.length)}`;
  const [, kind, method = '', name = ''] = /^(operation|webhook) ([^ ]+) (.*)$/s.exec(key) ?? [];
  if (kind === undefined) return key;
  return kind === 'operation' ? `${method.toUpperCase()} ${name}` : name;
}

/** The part that a block shows of the OpenAPI document it refers to; undefined for other or malformed blocks. */
export function partOf(type: string, { path, method, name, schemas }: Data): ApiPart | undefined {
  if (type === 'openapi-schemas') return isTexts(schemas) ? { kind: 'models', schemas } : undefined;
  if (typeof method !== 'string') return undefined;
  if (type === 'openapi-webhook')
    return typeof name === 'string' ? { kind: 'webhook', name, method } : undefined;
  if (type !== 'openapi-operation' && type !== 'swagger') return undefined;
  return typeof path === 'string' ? { kind: 'operation', path: unescapePath(path), method } : undefined;
}

/** GitBook has escaped paths in tags like Markdown: `/api\_keys`. */
const unescapePath = (path: string): string => path.replace(/\\([!-/:-@[-`{-~])/g, '$1');

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** The label of a part, such as `GET /pets`; for models, their names. */
export const labelOfPart = (part: ApiPart): string =>
  part.kind === 'models' ? part.schemas.join('\n') : labelOfKey(keyOfPart(part));
