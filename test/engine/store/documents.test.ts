import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Document, DocumentInput } from '../../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { canonicalJson, type Json } from '../../../routers/engine/store/canonical.ts';
import { getDocument, getDocuments, putDocument } from '../../../routers/engine/store/documents.ts';
import { commit, createMemoryStore } from './memory-store.ts';

/** Nodes of a kind, with any combination of optional fields. */
const node = (object: string, required: object, optional: object) =>
  fc.record(
    { object: fc.constant(object), ...required, ...optional },
    { requiredKeys: ['object', ...Object.keys(required)] as 'object'[] },
  );
const data = fc.dictionary(fc.constantFrom('ref', 'nodes', 'object'), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
});
const lists = { maxLength: 2 };
const marks = fc.array(node('mark', { type: fc.constantFrom('bold', 'code') }, { data }), lists);
const words = fc.constantFrom('', 'some words');
const leaf = node('leaf', { text: words, marks }, { other: fc.constantFrom(1, undefined) });
const text = node('text', { leaves: fc.array(leaf, lists) }, { key: fc.constantFrom('k', undefined) });
const fields = { isVoid: fc.boolean(), data, key: fc.constantFrom('a', 'b') };
const { block } = fc.letrec((tie) => ({
  block: node(
    'block',
    { type: fc.constantFrom('paragraph', 'hint') },
    { ...fields, meta: data, nodes: tie('nodes'), fragments: tie('fragments') },
  ),
  nodes: fc.array(fc.oneof({ maxDepth: 3 }, text, tie('inline'), tie('block')), lists),
  inline: node('inline', { type: fc.constant('link') }, { ...fields, nodes: tie('inlines') }),
  inlines: fc.array(fc.oneof({ maxDepth: 3 }, text, tie('inline')), lists),
  fragments: fc.array(node('fragment', { nodes: tie('blocks') }, { fragment: words, type: words }), lists),
  blocks: fc.array(tie('block'), { ...lists, depthIdentifier: 'fragment', size: '-1' }),
}));
const documents = fc.record({
  object: fc.constant('document'),
  data: fc.record({ schemaVersion: fc.constant(1) }),
  nodes: fc.array(block, { maxLength: 4 }),
}) as unknown as fc.Arbitrary<Document>;

test('any document is read as it was stored, and only equal documents have the same hash', async () => {
  await fc.assert(
    fc.asyncProperty(documents, documents, async (one, other) => {
      expect(DocumentInput.safeParse(one).success).toBe(true);
      const store = createMemoryStore();
      const [first, second] = await commit(store, (buffer) => [
        putDocument(buffer, one),
        putDocument(buffer, other),
      ]);
      const json = [one, other].map((document) => canonicalJson(document as unknown as Json));
      expect(canonicalJson((await getDocument(store, first as string)) as unknown as Json)).toBe(json[0]);
      expect(first === second).toBe(json[0] === json[1]);
    }),
    { numRuns: 500 },
  );
});

test('documents are read in one batch', async () => {
  const store = createMemoryStore();
  const documents = ['One', '# Two\n\nwith **marks**', '* three'].map((markdown) => parseMarkdown(markdown));
  const hashes = await commit(store, (buffer) => documents.map((document) => putDocument(buffer, document)));
  const found = await getDocuments(store, [...hashes, ...hashes]);
  expect(store.reads).toBe(1);
  expect(hashes.map((hash) => found.get(hash))).toEqual(documents);
});

test('what most nodes have in common is not stored', async () => {
  const store = createMemoryStore();
  const document = parseMarkdown('# Title\n\nA paragraph with **bold** words.\n\n* one\n* two\n');
  const hash = await commit(store, (buffer) => putDocument(buffer, document));
  const stored = canonicalJson(store.objects.get(hash)?.body);
  expect(stored.length).toBeLessThan(canonicalJson(document as unknown as Json).length / 2);
});
