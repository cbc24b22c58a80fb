/** The data in documents from callers is free-form: no code may fail on it, whatever it contains. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Document, DocumentInput } from '../../../routers/engine/document/document.ts';
import { PUBLISHED_BLOCKS, PUBLISHED_INLINES } from '../../../routers/engine/document/published-types.ts';
import { findRefs, mapRefs, plainText } from '../../../routers/engine/document/readers.ts';
import { addLinkLabels } from '../../../routers/engine/edit/link-labels.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { evaluateDocument } from '../../../routers/engine/expressions/document.ts';
import { collectDocumentLinks, linkRowsOf } from '../../../routers/engine/links/document-links.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { mergeDocument } from '../../../routers/engine/merge/document.ts';
import { getDocument, putDocument } from '../../../routers/engine/store/documents.ts';
import { putEmptyRoot } from '../../../routers/engine/store/edit.ts';
import { createObjectBuffer } from '../../../routers/engine/store/objects.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from '../store/runs.ts';

/** Names with a meaning, and names of properties of Object.prototype. */
const name = fc.constantFrom(
  'caption',
  'annotation-body',
  'expandable-title',
  'c1',
  'c2',
  'constructor',
  'toString',
);
const REF_KINDS = [
  'url',
  'page',
  'anchor',
  'file',
  'space',
  'user',
  'collection',
  'openapi',
  'reusable-content',
];
/** An object that JavaScript cannot convert to a string. */
const NO_TEXT = { toString: 1, valueOf: 1 };

const { odd } = fc.letrec<{ odd: unknown }>((tie) => ({
  odd: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(
      NO_TEXT,
      null,
      0,
      2.5,
      -1,
      true,
      false,
      '',
      'x',
      '|',
      'a\nb',
      '{% hint %}',
      'constructor',
    ),
    fc.record(
      {
        kind: fc.constantFrom(...REF_KINDS),
        page: tie('odd'),
        url: tie('odd'),
        spec: tie('odd'),
      },
      { requiredKeys: ['kind'] },
    ),
    fc.array(tie('odd'), { maxLength: 2 }),
    fc.dictionary(fc.oneof(name, fc.constantFrom('ref', 'label', 'unit', 'value', 'kind')), tie('odd'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

const FIELDS = [...PUBLISHED_BLOCKS.values(), ...PUBLISHED_INLINES.values()].flatMap(({ data }) => data);
const OTHER_FIELDS = ['markdown', 'refs', 'label', 'open', 'size', 'reference', 'constructor'];
const data = fc.dictionary(fc.constantFrom(...new Set([...FIELDS, ...OTHER_FIELDS])), odd, {
  maxKeys: 6,
  noNullPrototype: true,
});
const named = <Value>(value: fc.Arbitrary<Value>) =>
  fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });
const table = fc.record({
  view: fc.record({ type: fc.constantFrom('grid', 'cards', 'constructor'), columns: fc.array(name) }),
  definition: named(
    fc.record({
      title: name,
      type: fc.constantFrom('text', 'select', 'image', 'files', 'constructor'),
      max: odd,
    }),
  ),
  records: named(fc.record({ orderIndex: name, values: named(odd) })),
  fullWidth: odd,
});
const key = fc.constantFrom(undefined, 'k1', 'k2', 'k3', '#0', '#1');
const object = <Kind extends string>(kind: Kind) => fc.constant(kind);

const { block } = fc.letrec((tie) => {
  const mark = fc.record({
    object: object('mark'),
    type: fc.constantFrom('bold', 'italic', 'code', 'color', 'strikethrough', 'keyboard'),
    data: fc.dictionary(fc.constantFrom('text', 'background', 'syntax'), odd, { noNullPrototype: true }),
  });
  const fields = { key, isVoid: fc.boolean(), meta: odd, format: odd };
  return {
    text: fc.record({
      object: object('text'),
      leaves: fc.array(
        fc.record({
          object: object('leaf'),
          text: fc.constantFrom('', 'a', ' b ', '*', '\n', '|'),
          marks: fc.array(mark, { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
    }),
    fragment: fc.record({
      object: object('fragment'),
      fragment: name,
      nodes: fc.array(tie('block'), { maxLength: 2 }),
    }),
    inline: fc.record(
      {
        object: object('inline'),
        type: fc.constantFrom(...PUBLISHED_INLINES.keys(), 'unknown', 'constructor'),
        ...fields,
        data: fc.tuple(data, fc.array(mark, { maxLength: 1 })).map(([own, marks]) => ({ ...own, marks })),
        nodes: fc.array(fc.oneof(tie('text'), tie('inline')), { maxLength: 2 }),
        fragments: fc.array(tie('fragment'), { maxLength: 1 }),
      },
      { requiredKeys: ['object', 'type'] },
    ),
    block: fc.oneof(
      { maxDepth: 4 },
      fc.record({ object: object('block'), type: object('paragraph'), key }),
      fc.record({
        object: object('block'),
        type: object('table'),
        data: table,
        fragments: fc.array(tie('fragment'), { maxLength: 2 }),
      }),
      fc.record(
        {
          object: object('block'),
          type: fc.constantFrom(...PUBLISHED_BLOCKS.keys(), 'unknown', 'constructor'),
          ...fields,
          data,
          nodes: fc.array(fc.oneof(tie('block'), tie('text'), tie('inline')), { maxLength: 3 }),
          fragments: fc.array(tie('fragment'), { maxLength: 2 }),
        },
        { requiredKeys: ['object', 'type'] },
      ),
    ),
  };
});

const anyDocument = fc
  .array(block, { minLength: 1, maxLength: 4 })
  .map((nodes): unknown => ({ object: 'document', data: { schemaVersion: 1 }, nodes }))
  .filter((given) => DocumentInput.safeParse(given).success)
  .map((given) => JSON.parse(JSON.stringify(given)) as Document);

const read = (document: Document, previous?: Document): Document =>
  parseContent({ document }, { links: undefined, names: new Map(), previous });

test('every valid document can be stored, published, serialized to Markdown, evaluated and merged', {
  timeout: PROPERTY_TIMEOUT,
}, async () => {
  await fc.assert(
    fc.asyncProperty(anyDocument, anyDocument, anyDocument, async (...given) => {
      const buffer = createObjectBuffer(createMemoryStore());
      const root = putEmptyRoot(buffer);
      const [base, ours, theirs] = given.map((document) => read(document)) as [Document, Document, Document];
      const merged = mergeDocument({ page: 'p' }, base, ours, theirs, () => 'theirs');
      for (const document of [base, ours, theirs, merged]) {
        const hash = putDocument(buffer, document);
        expect(await getDocument(buffer, hash)).toEqual(document);
        expect(mapRefs(document, (ref) => ref)).toBe(document);
        expect(linkRowsOf(hash, collectDocumentLinks(document))).toHaveLength(1 + findRefs(document).length);
        putDocument(buffer, evaluateDocument(document, { page: {} }, 'all'));
        read(published(document), document);
        const labelled = await addLinkLabels(buffer, { root }, document);
        for (const shown of [document, labelled ?? document]) {
          const markdown = serializeMarkdown(shown);
          expect(markdown + plainText(shown)).not.toMatch(/native code|\[object/);
          parseMarkdown(markdown);
        }
      }
    }),
    { numRuns: NUM_RUNS / 2 },
  );
});
