/** Merges documents: blocks by key, their data by field, and their text by word. */

import type { Block, BlockNode, Document, Format, Fragment, InlineNode } from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import { mergeList } from './block-list.ts';
import {
  type ConflictPlace,
  type ConflictResolver,
  fieldVersions,
  mergeFields,
  topLevelOnly,
  trivialMerge,
  type Versions,
} from './conflicts.ts';
import { mergeTables } from './tables.ts';
import { mergeText } from './text.ts';
import { withUniqueKeys } from './unique-keys.ts';

/** The page or reusable content that the document belongs to, for conflicts. */
type Owner = Pick<ConflictPlace, 'page' | 'reusableContent'>;

/** How deep the data of a table is merged: by record and column. Fields of other blocks are merged as a whole. */
const TABLE_DEPTHS: Readonly<Record<string, number>> = { records: 3, definition: 2, view: 1 };

/**
 * Merges three versions of a document. The result does not depend on which side is ours, except for conflicts, which
 * `resolve` decides. There is no conflict where git would merge the Markdown line by line without one.
 */
export function mergeDocument(
  owner: Owner,
  base: Document,
  ours: Document,
  theirs: Document,
  resolve: ConflictResolver,
): Document {
  const clean = trivialMerge({ base, ours, theirs });
  if (clean) return clean.value as Document;
  const merger = new BlockMerger(owner, resolve);
  const data = mergeFields(
    { base: base.data, ours: ours.data, theirs: theirs.data },
    topLevelOnly,
    (path, versions) =>
      resolve({ kind: 'document-block', ...owner, field: ['data', ...path].join('.') }, versions),
  ) as Document['data'];
  const format = mergeFormat({ base: base.format, ours: ours.format, theirs: theirs.format });
  const nodes = merger.blocks(undefined, { base: base.nodes, ours: ours.nodes, theirs: theirs.nodes });
  return {
    object: 'document',
    data,
    ...(format && { format }),
    nodes: withUniqueKeys(owner, nodes, { base, ours, theirs }, resolve),
  };
}

/** Merges the blocks of one document. */
class BlockMerger {
  readonly #owner: Owner;
  readonly #resolve: ConflictResolver;

  constructor(owner: Owner, resolve: ConflictResolver) {
    this.#owner = owner;
    this.#resolve = resolve;
  }

  blocks<Item extends Block | Fragment>(
    container: string | undefined,
    lists: Readonly<Record<'base' | 'ours' | 'theirs', readonly Item[]>>,
  ): Item[] {
    const placed = mergeList(lists, ({ after, versions }) =>
      this.#resolve({ kind: 'document-blocks', ...this.#owner, block: container, after }, versions),
    );
    return placed.map((item) => ('take' in item ? item.take : this.#block(item.merge)));
  }

  #block<Item extends Block | Fragment>(versions: Versions<Item>): Item {
    const clean = trivialMerge(versions);
    if (clean) return clean.value as Item;
    const ours = versions.ours as Item;
    const theirs = versions.theirs as Item;
    const place = { kind: 'document-block', ...this.#owner, block: ours.key ?? theirs.key } as const;
    const table = mergeTables(versions as Versions<Block>, {
      place,
      resolve: this.#resolve,
      mergeFragments: (fragments) => this.#block(fragments),
      mergeFormat,
    });
    if (table) return table as Item;
    const all = [versions.base, ours, theirs].filter((version) => version !== undefined);
    const isText = all.some((version) => hasChild(version, isInlineNode));
    if (isText && all.some((version) => hasChild(version, isBlock)))
      return versions[this.#resolve(place, versions)] as Item;

    const merged: Record<string, unknown> = {};
    for (const field of new Set(all.flatMap(Object.keys))) {
      const inner = fieldVersions(versions, field);
      if (field === 'nodes' && isText)
        merged.nodes = this.#text({ ...place, blockType: ours.type }, inner as Versions<InlineNode[]>);
      else if (field === 'nodes') merged.nodes = this.#nested(ours.key, inner as Versions<Block[]>);
      else if (field === 'fragments')
        merged.fragments = this.#fragments(place, inner as Versions<Fragment[]>);
      else if (field === 'data') merged.data = this.#data(place, ours, inner);
      else if (field === 'format') merged.format = mergeFormat(inner as Versions<Format>);
      else merged[field] = this.#value({ ...place, field }, inner);
      if (merged[field] === undefined) delete merged[field];
    }
    return merged as Item;
  }

  /** Merges a value that is not divided further. */
  #value(place: ConflictPlace, versions: Versions<unknown>): unknown {
    const clean = trivialMerge(versions);
    return clean ? clean.value : versions[this.#resolve(place, versions)];
  }

  #nested(container: string | undefined, { base, ours, theirs }: Versions<Block[]>): Block[] {
    return this.blocks(container, { base: base ?? [], ours: ours ?? [], theirs: theirs ?? [] });
  }

  #text(place: ConflictPlace, versions: Versions<InlineNode[]>): InlineNode[] | undefined {
    const clean = trivialMerge(versions);
    if (clean) return clean.value;
    const merged = mergeText(versions, 'ours');
    if (merged.clean || this.#resolve({ ...place, field: 'text' }, versions) === 'ours') return merged.nodes;
    return mergeText(versions, 'theirs').nodes;
  }

  #data(place: ConflictPlace, { type }: Block | Fragment, versions: Versions<unknown>): unknown {
    const decide = (path: readonly string[], inner: Versions<unknown>) =>
      this.#resolve({ ...place, field: ['data', ...path].join('.') }, inner);
    const depthOf = (field = ''): number => (type === 'table' ? (TABLE_DEPTHS[field] ?? 0) : 0);
    return mergeFields(versions, (path) => path.length <= depthOf(path[0]), decide);
  }

  /** Fragments are identified by name, so their order is irrelevant: those of the base come first, then new ones by name. */
  #fragments(place: ConflictPlace, versions: Versions<Fragment[]>): Fragment[] {
    const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(byName);
    const added = [...(ours as Named).keys(), ...(theirs as Named).keys()].filter((name) => !base?.has(name));
    const merged = [...new Set([...(base as Named).keys(), ...added.sort()])].map((name) => {
      const inner = { base: base?.get(name), ours: ours?.get(name), theirs: theirs?.get(name) };
      const clean = trivialMerge(inner);
      if (clean) return clean.value;
      if (inner.ours && inner.theirs) return this.#block(inner);
      return inner[this.#resolve({ ...place, field: `fragments.${name}` }, inner)];
    });
    return merged.filter((fragment) => fragment !== undefined);
  }
}

/** Formatting hints never conflict: one that the two sides changed differently stays as in the base. */
function mergeFormat({ base, ours, theirs }: Versions<Format>): Format | undefined {
  const merged: Format = {};
  for (const hint of new Set([ours, theirs].flatMap((format) => Object.keys(format ?? {})))) {
    const versions = fieldVersions({ base, ours, theirs }, hint);
    const clean = trivialMerge(versions);
    const value = clean ? clean.value : versions.base;
    if (value !== undefined) merged[hint] = value;
  }
  return withoutSource(Object.keys(merged).length > 0 ? merged : undefined);
}

type Named = Map<string, Fragment>;

const byName = (fragments: readonly Fragment[] = []): Named =>
  new Map(fragments.map((fragment, index) => [fragment.fragment ?? fragment.key ?? `#${index}`, fragment]));

const isBlock = (node: BlockNode): boolean => node.object === 'block';
const isInlineNode = (node: BlockNode): boolean => node.object !== 'block';
const hasChild = (parent: Block | Fragment, test: (node: BlockNode) => boolean): boolean =>
  (parent.nodes ?? []).some(test);
