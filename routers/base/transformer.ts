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
 * Serializes values for tRPC clients, which use plain superjson. Outputs have no undefined members. Inputs are trees: a
 * reference from one place to another could let a few bytes stand for a value of any size, so the copy sent with it is used
 * instead. The annotations of inputs are applied by `applyAnnotations`, since superjson itself would build arrays, regular
 * expressions and the like of any size.
 */
export const transformer = {
  input: {
    serialize: superjson.serialize,
    /** May change its argument. */
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
