import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Document, DocumentInput } from '../../../routers/engine/document/document.ts';
import { SerializedDocument } from '../../../routers/engine/document/serialized-document.ts';

const JSON_TEXT = JSON.stringify({ object: 'document', data: { schemaVersion: 9 }, nodes: [] });

test.for([
  ['itself', DocumentInput],
  ['described', DocumentInput.describe('A text.')],
  ['with a check', Document.refine(() => false)],
  ['optional and described', z.object({ document: Document.describe('A text.') }).partial().shape.document],
])('a schema of documents, %s, accepts a serialized document without parsing it', ([, schema]) => {
  const parse = vi.spyOn(JSON, 'parse');
  const document = new SerializedDocument(JSON_TEXT);
  expect((schema as z.ZodType).parse(document)).toBe(document);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

test('a schema with a description reports the issues of a serialized document', () => {
  const document = new SerializedDocument(JSON_TEXT, [{ path: ['nodes', 0], message: 'is wrong' }]);
  const { error } = z.object({ body: DocumentInput.describe('A text.') }).safeParse({ body: document });
  expect(error?.issues).toMatchObject([{ path: ['body', 'nodes', 0], message: 'is wrong' }]);
});
