import { parseJson } from '../../../schema/json/parse-json.ts';
import { isRecord } from '../values.ts';
import type { Document } from './nodes.ts';

/**
 * A document as JSON text, so that documents that only pass through this thread are never parsed in it. It is parsed when
 * its fields are accessed, and otherwise behaves like any document.
 */
export class SerializedDocument implements Document {
  /** The whole document, already validated. */
  readonly #json: string;
  #parsed: Document | undefined;

  /** The issues of a document in input, which must be rejected if there are any. */
  readonly issues: readonly { path: PropertyKey[]; message: string }[];

  constructor(json: string, issues: SerializedDocument['issues'] = []) {
    this.#json = json;
    this.issues = issues;
  }

  get json(): string {
    return this.#json;
  }

  get object(): 'document' {
    return 'document';
  }

  get data(): Document['data'] {
    return this.toJSON().data;
  }

  get nodes(): Document['nodes'] {
    return this.toJSON().nodes;
  }

  toJSON(): Document {
    this.#parsed ??= parseJson(this.#json) as Document;
    return this.#parsed;
  }
}

/** Returns a document as JSON text. */
export const documentText = (document: Document): string =>
  document instanceof SerializedDocument ? document.json : JSON.stringify(document);

/** Serializes a value to JSON. A serialized document, as the value itself or a direct member of an object, is not parsed. */
export function jsonText(value: unknown): string {
  if (value instanceof SerializedDocument) return value.json;
  if (!isRecord(value) || !Object.values(value).some(isSerialized)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    // guard: serialized-documents
    const text: string | undefined = isSerialized(member) ? member.json : JSON.stringify(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join()}}`;
}

const isSerialized = (value: unknown): value is SerializedDocument => value instanceof SerializedDocument;
