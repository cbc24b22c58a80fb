/** Parses the JSON body of a large request, outside the main process. */

import { hash } from 'node:crypto';
import { parseJson } from '../../../schema/json/parse-json.ts';
import { problemsOf } from '../../../schema/json/problems.ts';
import { inputProblem } from '../../../schema/json/value.ts';
import { type Document, DocumentInput } from '../document/document.ts';
import { SerializedDocument } from '../document/serialized-document.ts';
import { DomainError } from '../errors.ts';
import { InvalidInput } from '../invalid-input.ts';
import { SerializedText } from '../specs/serialized-text.ts';
import { type Fields, isRecord } from '../values.ts';

/** A document taken out of the body of an edit: its change and field, and its JSON or the issues with it. */
interface DetachedDocument {
  change: number;
  field: 'document' | 'take';
  json: string;
  issues: { path: PropertyKey[]; message: string }[];
}

/** A body, with its documents and the text of its OpenAPI spec taken out. */
export interface ParsedBody {
  value: unknown;
  documents: DetachedDocument[];
  specText?: { bytes: Uint8Array; sha256: string };
}

/** Limits of what the calling process validates: the number of values, and of different property names. */
export interface BodyLimits {
  maxValues: number;
  maxNames: number;
}

type ExceededLimit = 'too many values' | 'too many names';

/**
 * Parses a body. The documents of an edit are validated and returned separately as JSON text, and the text of an OpenAPI
 * spec as bytes. The calling process validates the rest, to which the limits apply.
 * @throws DomainError `invalid` for anything but JSON in UTF-8, and for values that cannot be stored.
 */
export function parseBody(bytes: Uint8Array, limits: BodyLimits): ParsedBody | ExceededLimit {
  const value = parseJsonBody(bytes);
  const problem = inputProblem(value);
  if (problem) throw new InvalidInput(problem);
  const documents: DetachedDocument[] = [];
  for (const [change, content, field] of documentContents(value)) {
    const checked = DocumentInput.safeParse(content.document);
    const issues = checked.error ? problemsOf(checked.error) : [];
    documents.push({ change, field, json: checked.success ? JSON.stringify(checked.data) : '', issues });
    content.document = null;
  }
  const source = specSourceOf(value);
  let specText: ParsedBody['specText'];
  if (source) {
    const text = Buffer.from(source.text as string);
    specText = { bytes: text, sha256: hash('sha256', text) };
    source.text = null;
  }
  return exceededLimit(value, limits) ?? { value, documents, ...(specText && { specText }) };
}

/** The limit that a value, with all values inside it, exceeds. */
function exceededLimit(root: unknown, { maxValues, maxNames }: BodyLimits): ExceededLimit | undefined {
  const stack = [root];
  const names = new Set<string>();
  for (let count = 0; stack.length > 0; count++) {
    if (count === maxValues) return 'too many values';
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of Object.values(value)) stack.push(inner);
    if (Array.isArray(value)) continue;
    for (const name of Object.keys(value)) names.add(name);
    // guard: property-names-of-large-body
    if (names.size > maxNames) return 'too many names';
  }
  return undefined;
}

/** Puts the documents back into a body, still as JSON text, and the text of an OpenAPI spec as bytes. */
export function assembleBody({ value, documents, specText }: ParsedBody): unknown {
  const changes = changesOf(value) as Fields[];
  for (const { change, field, json, issues } of documents) {
    const content = changes[change]?.[field] as Fields;
    content.document = new SerializedDocument(json, issues) satisfies Document;
  }
  const source = specText && (inputOf(value).source as Fields);
  if (source) source.text = new SerializedText(specText);
  return value;
}

/**
 * The input of an operation: the body itself, or the superjson input of a tRPC call, possibly in a batch of one. Input with
 * superjson annotations is ignored: values inside a document may be incomplete without the annotations.
 */
function inputOf(body: unknown): Fields {
  if (!isRecord(body)) return {};
  const input = isRecord(body[0]) ? body[0] : body;
  return isRecord(input.json) && input.meta === undefined ? input.json : input;
}

/** The changes of an edit. */
function changesOf(body: unknown): unknown[] {
  const { changes } = inputOf(body);
  return Array.isArray(changes) ? changes : [];
}

/** The source of an OpenAPI spec, if it is given as text. */
function specSourceOf(body: unknown): Fields | undefined {
  const { source } = inputOf(body);
  return isRecord(source) && typeof source.text === 'string' && source.text !== '' ? source : undefined;
}

/** The contents of pages in an edit that are documents rather than Markdown. */
function* documentContents(
  value: unknown,
): Generator<[change: number, content: Fields, field: DetachedDocument['field']]> {
  for (const [index, change] of changesOf(value).entries()) {
    if (!isRecord(change)) continue;
    for (const field of ['document', 'take'] as const) {
      const content = change[field];
      if (isRecord(content) && isRecord(content.document)) yield [index, content, field];
    }
  }
}

/**
 * Parses JSON, without keys that could pollute prototypes.
 * @throws DomainError `invalid` for anything but JSON in UTF-8
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  try {
    return withoutPrototypes(
      parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)),
    );
  } catch (error) {
    const what = error instanceof SyntaxError ? 'valid JSON' : 'valid UTF-8';
    throw new DomainError('invalid', `The request body is not ${what}.`);
  }
}

/** Removes keys that could pollute prototypes. */
function withoutPrototypes(root: unknown): unknown {
  const stack = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    const fields = value as Fields;
    Reflect.deleteProperty(fields, '__proto__');
    if (Object.hasOwn(fields, 'constructor') && hasPrototype(fields.constructor)) {
      Reflect.deleteProperty(fields, 'constructor');
    }
    for (const inner of Object.values(fields)) if (typeof inner === 'object') stack.push(inner);
  }
  return root;
}

const hasPrototype = (value: unknown): boolean => isRecord(value) && Object.hasOwn(value, 'prototype');
