import type { OpenApiDocument, Schema } from './types.ts';

/** The suffix that the generator adds to the name of an output object if there is an input object with the same name. */
const OUTPUT_SUFFIX = 'Output';

/**
 * Merges schemas that the generator wrote twice, for input and for output, if both are equal, and removes what it adds to
 * schemas unnecessarily.
 */
export function mergeTwinSchemas(document: OpenApiDocument): OpenApiDocument {
  let text = JSON.stringify(document, tidy);
  const { schemas } = (JSON.parse(text) as OpenApiDocument).components;
  for (const [name, schema] of Object.entries(schemas)) {
    const twin = `${name}${OUTPUT_SUFFIX}`;
    if (!schemas[twin]) continue;
    if (JSON.stringify(schemas[twin]).replaceAll(`${OUTPUT_SUFFIX}"`, '"') !== JSON.stringify(schema))
      continue;
    text = text.replaceAll(`"#/components/schemas/${twin}"`, `"#/components/schemas/${name}"`);
  }
  // The generator moves some unnamed schemas to components: put them back where they are referred to.
  for (const name of Object.keys(schemas).filter((name) => name.startsWith('__schema')))
    text = text.replaceAll(
      `"$ref":"#/components/schemas/${name}"`,
      JSON.stringify(schemas[name]).slice(1, -1),
    );
  const result = JSON.parse(text) as OpenApiDocument;
  for (const name of Object.keys(schemas)) {
    if (name.startsWith('__schema') || !text.includes(`"#/components/schemas/${name}"`))
      delete result.components.schemas[name];
  }
  return result;
}

/** A JSON replacer that removes what the generator adds to schemas unnecessarily. */
function tidy(key: string, value: unknown): unknown {
  // Responses may gain members: clients must not treat objects as closed.
  if (key === 'additionalProperties' && value === false) return undefined;
  if ((key === 'minimum' || key === 'maximum') && Math.abs(value as number) === Number.MAX_SAFE_INTEGER)
    return undefined;
  return mergeIndexSignature(value);
}

/**
 * Merges named members into the schema of additional properties: no language that clients are generated for has a type whose
 * named members differ from all others.
 */
function mergeIndexSignature(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('additionalProperties' in value)) return value;
  const { properties, additionalProperties, required, ...schema } = value as Schema;
  if (schema.type !== 'object' || !properties || required || typeof additionalProperties !== 'object')
    return value;
  const named = Object.entries(properties).filter(([, member]) => typeof member === 'object');
  if (named.length === 0 || Object.keys(additionalProperties).length === 0) return value;
  const memberNotes = named.map(([name, { description }]) => `\`${name}\`: ${description}`);
  return {
    ...schema,
    description: [schema.description, ...memberNotes].join(' '),
    additionalProperties: { anyOf: [additionalProperties, ...named.map(([, member]) => member)] },
  };
}
