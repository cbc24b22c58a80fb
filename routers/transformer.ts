import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import superjson, { type SuperJSONResult } from 'superjson';
import { inputProblem, UNREADABLE } from '../schema/json/value.ts';
import { HeldDocument } from './engine/document/held.ts';
import { DomainError } from './engine/errors.ts';
import { writePlain } from './plain-output.ts';

/** Placeholders for documents held as text while a response is serialized, so that they need not be parsed. */
class Placeholders {
  /** Generated for this response, so that no content can contain it. */
  readonly #id = randomUUID();
  readonly #held: HeldDocument[] = [];

  instead(held: HeldDocument): string {
    return `${this.#id}.${this.#held.push(held) - 1}`;
  }

  /** The text of the response, with its placeholders replaced by the documents. */
  fill(text: string): string {
    const [start = '', ...parts] = text.split(`"${this.#id}.`);
    const filled = parts.map((part) => {
      const held = this.#held[Number.parseInt(part, 10)] as HeldDocument;
      return held.json + part.slice(part.indexOf('"') + 1);
    });
    return start + filled.join('');
  }
}

const placeholders = new AsyncLocalStorage<Placeholders>();

/** Runs work that serializes responses; also returns the function that puts the documents into their text. */
export async function withPlaceholders<Result>(
  work: () => Promise<Result>,
): Promise<[Result, fill: (text: string) => string]> {
  const held = new Placeholders();
  const result = await placeholders.run(held, work);
  return [result, (text) => held.fill(text)];
}

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
  if (output instanceof HeldDocument) return { json: plain(output) };
  const held = Object.entries(output ?? {}).filter(([, value]) => value instanceof HeldDocument);
  if (held.length === 0) return writePlain(output) ?? superjson.serialize(output);
  const others = { ...(output as object), ...Object.fromEntries(held.map(([name]) => [name, null])) };
  const rest = writePlain(others) ?? superjson.serialize(others);
  for (const [name, value] of held) (rest.json as Record<string, unknown>)[name] = plain(value);
  return rest;
}

const plain = (held: unknown) =>
  (placeholders.getStore()?.instead(held as HeldDocument) ?? held) as SuperJSONResult['json'];
