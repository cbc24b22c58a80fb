type Node = Record<string, unknown>;

/** A reference to another place: `holder[key]` is its address. */
export interface SpecRef {
  holder: Node;
  key: string;
  address: string;
  /** Whether it is a reference by its place alone, so that an address which leads nowhere may be something else. */
  isImplicit: boolean;
  path: readonly string[];
}

/** Members whose own members have names that people choose, not ones that OpenAPI gives a meaning. */
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

/** Members that hold data, in which a `$ref` is data, too. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['example', 'default', 'enum', 'const', 'value']);

/** Visits the references of an OpenAPI document, or a part of one, in their order. */
export function visitReferences(document: unknown, visit: (found: SpecRef) => void): void {
  const path: string[] = [];
  const walk = (value: unknown, isMap: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (!isMap && typeof node.$ref === 'string')
      visit({ holder: node, key: '$ref', address: node.$ref, isImplicit: false, path: [...path] });
    if (!isMap && isNode(node.discriminator) && isNode(node.discriminator.mapping)) {
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
      // In a schema, the examples are a list of data.
      if (!isMap && key === 'examples' && Array.isArray(inner)) continue;
      path.push(key);
      walk(inner, !isMap && !isList && MAP_KEYWORDS.has(key) && !Array.isArray(inner));
      path.pop();
    }
  };
  walk(document, false);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
