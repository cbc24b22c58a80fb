import superjson from 'superjson';
import { DomainError } from '../engine/errors.ts';
import { serializeOutput } from '../response/output.ts';
import { applyAnnotations } from './superjson-input.ts';

interface Payload {
  json: unknown;
  meta?: { values?: unknown; v?: unknown } | null;
}

const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && 'json' in value;

/**
 * Serializes values for tRPC clients, which use plain superjson. Outputs have no members that are undefined. Inputs are
 * trees: a reference from one place to another would let a few bytes stand for a value of any size, so the copy sent with
 * it is used instead. What a value of an input may be besides JSON is in `applyAnnotations`, as superjson itself would
 * build arrays, expressions and the like of any size.
 */
export const transformer = {
  input: {
    serialize: superjson.serialize,
    /** May change what it is given. */
    deserialize(payload: unknown): unknown {
      // A call without input sends nothing.
      if (payload === undefined) return undefined;
      if (!isPayload(payload)) {
        throw new DomainError(
          'invalid',
          'The input must be an object with a "json" member, as superjson writes it.',
        );
      }
      const { json, meta } = payload;
      return meta?.values === undefined ? json : applyAnnotations(json, meta.values, meta.v);
    },
  },
  output: { serialize: serializeOutput, deserialize: superjson.deserialize },
};
