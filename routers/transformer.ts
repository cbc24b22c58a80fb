import superjson, { type SuperJSONResult } from 'superjson';
import { inputProblem, UNREADABLE } from '../schema/json/value.ts';
import { DomainError } from './engine/errors.ts';
import { serializeOutput } from './plain-output.ts';

const isResult = (payload: unknown): payload is SuperJSONResult =>
  typeof payload === 'object' && payload !== null && 'json' in payload;

/**
 * Serializes values for tRPC clients, which use plain superjson. Outputs have no members that are undefined. Inputs are
 * trees: a reference from one place to another would let a few bytes stand for a value of any size, so the copy sent with
 * it is used instead.
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
      // Without annotations it is the input itself, and is checked like that of any procedure.
      if (meta?.values === undefined) return json;
      // Checked before superjson copies them recursively.
      const problem = inputProblem(json) ?? inputProblem(meta);
      if (problem) throw new DomainError('invalid', UNREADABLE, [problem]);
      return superjson.deserialize({ json, meta: { values: meta.values } });
    },
  },
  output: { serialize: serializeOutput, deserialize: superjson.deserialize },
};
