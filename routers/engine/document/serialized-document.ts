import type { Document } from './nodes.ts';

/**
 * A document held as JSON text, so that documents that only pass through this thread are never parsed in it. Accessing
 * its fields parses it, and then it is a document like any other.
 */
export class SerializedDocument implements Document {
  /** The whole document, already checked. */
  readonly #json: string;
  #parsed: Document | undefined;

  /** The problem with it, if it was sent in and must be rejected. */
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
    this.#parsed ??= JSON.parse(this.#json) as Document;
    return this.#parsed;
  }
}

/** The JSON of a document, as text. */
export const documentText = (document: Document): string =>
  document instanceof SerializedDocument ? document.json : JSON.stringify(document);

/** The JSON of a value; a document held as text that it is, or has as a member, is not parsed. */
export function jsonText(value: unknown): string {
  if (value instanceof SerializedDocument) return value.json;
  if (typeof value !== 'object' || value === null || !Object.values(value).some(isSerialized)) {
    return JSON.stringify(value);
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text: string | undefined = isSerialized(member) ? member.json : JSON.stringify(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join()}}`;
}

const isSerialized = (value: unknown): value is SerializedDocument => value instanceof SerializedDocument;
