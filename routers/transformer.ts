import superjson, { type SuperJSONResult } from 'superjson';
import { inputProblem, UNREADABLE } from '../schema/json/value.ts';
import { HeldDocument, jsonText } from './engine/document/held.ts';
import { DomainError } from './engine/errors.ts';
import { writePlain } from './plain-output.ts';

type Json = SuperJSONResult['json'];

const isResult = (payload: unknown): payload is SuperJSONResult =>
  typeof payload === 'object' && payload !== null && 'json' in payload;

/**
 * Serializes values for tRPC clients, which use plain superjson. Inputs are trees: a reference from one place to another
 * would let a few bytes stand for a value of any size, so the copy sent with it is used instead.
 */
export const transformer = {
  input: {
    serialize: superjson.serialize,
    deserialize(payload: unknown): unknown {
      // A call without input sends nothing.
      if (payload === undefined) return undefined;
      if (!isResult(payload)) {
        throw new DomainError(
          'invalid',
          'The input must be an object with a "json" member, as superjson writes it.',
        );
      }
      const { json, meta } = payload;
      // Checked before superjson copies them recursively.
      const problem = inputProblem(json) ?? inputProblem(meta);
      if (problem) throw new DomainError('invalid', UNREADABLE, [problem]);
      return superjson.deserialize({ json, meta: meta && { values: meta.values } });
    },
  },
  output: { serialize: serializeOutput, deserialize: superjson.deserialize },
};

/** Superjson visits every node several times; plain responses and documents held as text avoid that. */
function serializeOutput(output: unknown): SuperJSONResult {
  if (output instanceof HeldDocument) return { json: output as unknown as Json };
  const held = Object.entries(output ?? {}).filter(([, value]) => value instanceof HeldDocument);
  if (held.length === 0) return writePlain(output) ?? superjson.serialize(output);
  const others = { ...(output as object), ...Object.fromEntries(held.map(([name]) => [name, null])) };
  const rest = writePlain(others) ?? superjson.serialize(others);
  Object.assign(rest.json as object, Object.fromEntries(held));
  return rest;
}

/** The JSON of a serialized output, without parsing documents held as text. */
export function outputText(output: unknown): string {
  const { json, meta } = serializeOutput(output);
  return `{"json":${jsonText(json)}${meta ? `,"meta":${JSON.stringify(meta)}` : ''}}`;
}
