import type { Document } from './document.ts';

/**
 * A document as the text of its JSON: what only passes through this thread is never parsed in it. Whoever looks into it
 * finds a document like any other.
 */
export class HeldDocument implements Document {
  /** The whole document, of which nothing needs to be checked again. */
  readonly #json: string;
  #parsed: Document | undefined;

  /** What is wrong with it, where it was sent in and is not to be taken. */
  readonly issues: readonly { path: PropertyKey[]; message: string }[];

  constructor(json: string, issues: HeldDocument['issues'] = []) {
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
  document instanceof HeldDocument ? document.json : JSON.stringify(document);
