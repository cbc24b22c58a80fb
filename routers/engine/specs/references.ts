import { isRecord } from '../values.ts';

type Node = Record<string, unknown>;

/** A reference in an OpenAPI document; its address is `holder[key]`. */
export interface SpecRef {
  holder: Node;
  key: string;
  address: string;
  /** Whether it is a value in a discriminator mapping, which may also be the name of a schema. */
  isImplicit: boolean;
  path: readonly string[];
}

/** Members that are maps: their keys are chosen by authors and are not keywords of OpenAPI. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'paths',
  'webhooks',
  'callbacks',
  'pathItems',
  'schemas',
  'definitions',
  '$defs',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'responses',
  'parameters',
  'requestBodies',
  'headers',
  'securitySchemes',
  'securityDefinitions',
  'links',
  'examples',
  'content',
  'encoding',
  'scopes',
  'mapping',
]);

/** Members that contain arbitrary data, in which a `$ref` is not a reference. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['example', 'default', 'enum', 'const', 'value']);

/** Visits the references in an OpenAPI document or a part of one, in order. */
export function visitReferences(document: unknown, visit: (found: SpecRef) => void): void {
  const path: string[] = [];
  const walk = (value: unknown, isMap: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (!isMap && typeof node.$ref === 'string')
      visit({ holder: node, key: '$ref', address: node.$ref, isImplicit: false, path: [...path] });
    if (!isMap && isRecord(node.discriminator) && isRecord(node.discriminator.mapping)) {
      const { mapping } = node.discriminator;
      for (const [key, address] of Object.entries(mapping)) {
        if (typeof address === 'string')
          visit({
            holder: mapping,
            key,
            address,
            isImplicit: true,
            path: [...path, 'discriminator', 'mapping'],
          });
      }
    }
    const isList = Array.isArray(value);
    for (const [key, inner] of Object.entries(node)) {
      if (typeof inner !== 'object' || inner === null) continue;
      if (!isMap && !isList && (DATA_KEYWORDS.has(key) || key.startsWith('x-'))) continue;
      // In a schema, `examples` is a list of arbitrary data.
      if (!isMap && key === 'examples' && Array.isArray(inner)) continue;
      path.push(key);
      walk(inner, !isMap && !isList && MAP_KEYWORDS.has(key) && !Array.isArray(inner));
      path.pop();
    }
  };
  walk(document, false);
}
