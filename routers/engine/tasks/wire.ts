/**
 * Serializes tasks for other processes, with documents as text: copying text takes a hundredth of the time of copying
 * nodes.
 */

import { parseJson } from '../../../schema/json/parse-json.ts';
import type { Document } from '../document/document.ts';
import { documentText, SerializedDocument } from '../document/serialized-document.ts';
import type { EditChange } from '../edit/changes.ts';
import type { EditInput, TaskInput, TaskName, TaskOutput } from './tasks.ts';

/** Converts an input to a form that can be sent to another process. */
export const packInput = <Name extends TaskName>(name: Name, input: TaskInput<Name>): unknown =>
  name === 'edit' ? mapDocuments(input as EditInput, documentText) : input;

export const unpackInput = <Name extends TaskName>(name: Name, input: unknown): TaskInput<Name> =>
  (name === 'edit'
    ? mapDocuments(input as EditInput, (text) => parseJson(text as unknown as string) as Document)
    : input) as TaskInput<Name>;

/** Converts an output to a form that can be sent to another process. */
export const packOutput = <Name extends TaskName>(name: Name, output: TaskOutput<Name>): unknown =>
  name === 'document' ? JSON.stringify(output) : output;

export const unpackOutput = <Name extends TaskName>(name: Name, output: unknown): TaskOutput<Name> =>
  (name === 'document' ? new SerializedDocument(output as string) : output) as TaskOutput<Name>;

function mapDocuments(input: EditInput, map: (document: Document) => unknown): EditInput {
  const content = (given: object) =>
    'document' in given && given.document ? { document: map(given.document as Document) } : given;
  const changes = input.changes.map((change) => {
    if ('document' in change && change.document) return { ...change, document: content(change.document) };
    if ('take' in change && typeof change.take === 'object') return { ...change, take: content(change.take) };
    return change;
  });
  return { ...input, changes: changes as EditChange[] };
}
