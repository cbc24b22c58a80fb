import { describe, expect, test } from 'vitest';
import {
  collectDocumentLinks,
  type DocumentRef,
  foldAnchor,
  targetOf,
} from '../../../routers/engine/links/document-links.ts';
import { type LinkSource, placesOf, usagesOf } from '../../../routers/engine/links/usages.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { newId } from '../../../schema/ids.ts';

describe('the links of a document', () => {
  test('the links of a document are its references with their blocks, and the anchors of its headings', () => {
    const page = newId();
    const document = parseMarkdown(`# First steps!\n\n[a](/pages/${page})\n\n## Notes\n\n## Notes`);
    const { refs, anchors } = collectDocumentLinks(document);
    expect(refs).toEqual([{ ref: { kind: 'page', page }, block: document.nodes[1]?.key }]);
    expect(anchors).toEqual(['firststeps', 'notes', 'notes1']);
  });

  test('the anchors of a document include those in its text', () => {
    const markdown =
      '<a id="api.Client"></a>\n\nSee <a name="note-1">this</a> <a href="#x" class="y">link</a>.\n';
    expect(collectDocumentLinks(parseMarkdown(markdown)).anchors).toEqual(['apiclient', 'note1']);
  });

  test('the anchors of a heading include its custom id and the one derived from its title', () => {
    const { anchors } = collectDocumentLinks(parseMarkdown('## Install <a href="#set-up" id="set-up"></a>'));
    expect(anchors).toEqual(expect.arrayContaining(['setup', 'install']));
  });

  test('the anchors of a document include the titles of its expandables', () => {
    const markdown =
      '<details>\n\n<summary>Wie <strong>geht</strong> das?</summary>\n\n<details>\n\n<summary>So</summary>\n\nText.\n\n</details>\n\n</details>\n';
    expect(collectDocumentLinks(parseMarkdown(markdown)).anchors).toEqual(['wiegehtdas', 'so']);
  });

  test('the anchors of a heading with "&" are those with and without a word for it', () => {
    const { anchors } = collectDocumentLinks(parseMarkdown('## Skip & *promote*'));
    expect(anchors).toEqual(['skip-and-promote', 'skip--promote'].map(foldAnchor));
  });

  test.for([
    ['v1.2 notes', 'v1.2-notes', 'v12-notes'],
    ["What's new?", 'whats-new', 'what-s-new'],
    ['Über uns', 'uber-uns', '%C3%BCber-uns'],
    ['100 % sure', '100-sure', '100-%-sure'],
  ])('the heading %j is found by the anchors that other tools derive from it', ([title, ...anchors]) => {
    for (const anchor of anchors) expect(foldAnchor(anchor)).toBe(foldAnchor(title as string));
  });

  test('targets are indexed only by valid ids', () => {
    expect(targetOf({ kind: 'page', page: 'x'.repeat(10_000) })).toBeUndefined();
    expect(targetOf({ kind: 'url', url: 'https://example.com/' })).toBeUndefined();
    const page = newId();
    expect(targetOf({ kind: 'anchor', anchor: 'x', page })).toBe(page);
  });
});

describe('the usages in a space', () => {
  const [space, page, other] = [newId(), newId(), newId()] as const;
  const holder = (kind: LinkSource['kind'], id: string, own: LinkSource['own'] = []): LinkSource => ({
    kind,
    id,
    document: `document of ${id}`,
    own,
  });
  const refsOf = (id: string, refs: DocumentRef['ref'][]): [string, DocumentRef[]] => [
    `document of ${id}`,
    refs.map((ref, index) => ({ ref, block: `block ${index}` })),
  ];

  test('there is one usage per target, however the references are written', () => {
    const refs = new Map([
      refsOf(page, [
        { kind: 'page', page: other },
        { kind: 'page', page: other, space },
        { kind: 'anchor', anchor: 'top' },
        { kind: 'anchor', anchor: 'top', page },
      ]),
    ]);
    const usages = usagesOf([holder('page', page)], refs, space);
    expect(usages.map(({ ref }) => ref)).toEqual([
      { kind: 'anchor', anchor: 'top', page },
      { kind: 'page', page: other },
    ]);
    expect(usages.map(({ places }) => places.length)).toEqual([2, 2]);
  });

  test('places are found by the target of their references, but not if it is in another space', () => {
    const refs = new Map([
      refsOf(page, [{ kind: 'page', page: other, space: newId() }]),
      refsOf(other, [{ kind: 'anchor', anchor: 'top', page: other }]),
    ]);
    const holders = [
      holder('page', page, [{ kind: 'page', page: other }]),
      holder('page', other),
      holder('reusable-content', newId()),
    ];
    expect(placesOf(holders, refs, space, other)).toMatchObject([
      { kind: 'page', id: page, block: undefined },
      { kind: 'page', id: other, block: 'block 0' },
    ]);
  });

  test('a document that several pages share has usages in all of them', () => {
    const shared: LinkSource[] = [
      { ...holder('page', page), document: 'shared' },
      { ...holder('page', other), document: 'shared' },
    ];
    const target = newId();
    const refs = new Map([['shared', [{ ref: { kind: 'page', page: target } as const, block: 'a' }]]]);
    expect(placesOf(shared, refs, space, target)).toHaveLength(2);
  });
});
